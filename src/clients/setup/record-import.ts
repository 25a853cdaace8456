import { existsSync } from 'node:fs';
import { sha256 } from '../../base/digest.ts';
import { dataFolder, type Environment, platformPath } from '../../config/files/folders.ts';
import { readSmallFile } from '../../config/files/small-file.ts';
import { globalSource } from '../../config/files/sources.ts';
import { openClientServers } from '../client-servers.ts';
import { clientServersFile } from '../client-servers-file.ts';
import { CLIENT_IDS, type ClientId } from '../clients.ts';
import { openConnections } from '../connect/connections.ts';
import { applyImport } from '../import/apply-import.ts';
import type { FoundFile } from '../import/find-servers.ts';
import type { ImportPlan } from '../import/plan-import.ts';
import { launcherFile } from '../launcher/install-launcher.ts';
import type { ConfigChange, SetupJournal, SetupJournalStore } from './journal.ts';

/** Records which of our files do not exist, before the first change. A later setup must not change that record. */
export function recordStart(journal: SetupJournalStore, environment: Environment): void {
  if (journal.read() !== undefined) return;
  const created = ownFiles(environment).filter((file) => !existsSync(file));
  journal.change((before) => ({ ...before, created }));
}

/** Returns the files of ours that setup may create. */
function ownFiles(environment: Environment): readonly string[] {
  const { join } = platformPath(environment.platform);
  const inData = (name: string) => join(dataFolder(environment), name);
  return [
    globalSource(environment).file,
    clientServersFile(environment),
    launcherFile(environment),
    ...['secrets.json', 'connections.json', 'trust.json', 'mcp-auth.json'].map(inData),
  ];
}

/** Writes an import into our global config, and records how to reverse it. */
export function importRecorded(
  plan: ImportPlan,
  {
    files,
    journal,
    environment,
  }: { readonly files: readonly FoundFile[]; readonly journal: SetupJournalStore; readonly environment: Environment },
): void {
  const { file } = globalSource(environment);
  applyImport(plan, { environment, files, isDryRun: true });
  const clients = CLIENT_IDS.filter((client) => files.some((found) => found.client === client));
  const text = readText(file);
  journal.change((before) => ({
    ...before,
    config: configChange(before.config, { file, text, plan }),
    connectedBefore: before.connectedBefore ?? connectedClients(environment),
    secrets: { ...before.secrets, ...digestsOf(usedSecrets(plan)) },
    records: [...before.records, ...missingRecords(clients, before, environment)],
  }));
  applyImport(plan, { environment, files, isDryRun: false });
  const after = readText(file);
  journal.change((before) => {
    // Another program changed the file between two setups: its changes must survive an undo.
    if (before.config === undefined || after === undefined || before.config.written === '') return before;
    return { ...before, config: { ...before.config, written: sha256(after) } };
  });
}

interface ConfigBefore {
  readonly file: string;
  readonly text: string | undefined;
  readonly plan: ImportPlan;
}

function configChange(earlier: ConfigChange | undefined, { file, text, plan }: ConfigBefore): ConfigChange {
  const added = plan.servers.filter(({ action }) => action === 'added');
  const servers = digestsOf(new Map(added.map(({ id, entry }) => [id, JSON.stringify(entry)])));
  if (earlier === undefined) return { file, ...(text === undefined ? {} : { before: text }), servers };
  const isUnchanged = text !== undefined && sha256(text) === earlier.written;
  return { ...earlier, servers: { ...earlier.servers, ...servers }, ...(isUnchanged ? {} : { written: '' }) };
}

/** Returns the values that an import stores. */
function usedSecrets({ servers, secrets }: ImportPlan): ReadonlyMap<string, string> {
  const used = new Set(servers.flatMap((server) => server.secrets.map(({ variable }) => variable)));
  return new Map([...secrets].filter(([name]) => used.has(name)));
}

function digestsOf(texts: ReadonlyMap<string, string>): Readonly<Record<string, string>> {
  return Object.fromEntries([...texts].map(([name, text]) => [name, sha256(text)]));
}

function missingRecords(
  clients: readonly ClientId[],
  { records }: SetupJournal,
  environment: Environment,
): SetupJournal['records'] {
  const store = openClientServers(environment);
  return clients
    .filter((client) => !records.some((record) => record.client === client))
    .map((client) => ({ client, before: store.read(client) }));
}

function readText(file: string): string | undefined {
  return readSmallFile(file)?.bytes.toString('utf8');
}

function connectedClients(environment: Environment): readonly ClientId[] {
  return [
    ...new Set(
      openConnections(environment)
        .readAll()
        .map(({ client }) => client),
    ),
  ];
}
