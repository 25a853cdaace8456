import type { Environment } from '../../config/files/folders.ts';
import type { Source } from '../../config/files/sources.ts';
import { openSecretStore } from '../../config/secrets/secret-store.ts';
import { writeEntries } from '../../config/write/write-entry.ts';
import { openClientServers } from '../client-servers.ts';
import { CLIENT_IDS, type ClientId } from '../clients.ts';
import type { FoundFile, FoundServer } from './find-servers.ts';
import type { ImportPlan, PlannedServer } from './plan-import.ts';

export interface ApplyOptions {
  readonly environment: Environment;
  /** The files that were looked at, whose servers are no longer new. */
  readonly files: readonly FoundFile[];
  readonly isDryRun: boolean;
}

/**
 * Writes an import: first the secrets, then the entries that name them, then which client had which server. Everything
 * that can fail is tried before anything is written. With `isDryRun`, it is only tried.
 */
export function applyImport({ servers, secrets }: ImportPlan, { environment, files, isDryRun }: ApplyOptions): void {
  const written = servers.filter(({ action }) => action === 'added' || action === 'replaced');
  const targets = [...new Map(written.map(({ source }) => [source.file, source])).values()];
  const record = openClientServers(environment);
  record.readAll();
  for (const source of targets) write(source, written, true);
  if (isDryRun) return;
  const inConfig = servers.filter(({ action }) => action !== 'conflict' && action !== 'invalid');
  const used = new Set(inConfig.flatMap((server) => server.secrets.map(({ variable }) => variable)));
  const store = openSecretStore(environment);
  for (const [name, value] of secrets) if (used.has(name)) store.set(name, value);
  for (const source of targets) write(source, written, false);
  for (const client of CLIENT_IDS) {
    const own = files.filter((file) => file.client === client);
    if (own.length > 0) recordClient(client, { record, own, servers });
  }
}

function write(source: Source, servers: readonly PlannedServer[], isDryRun: boolean): void {
  const own = servers.filter((server) => server.source.file === source.file);
  const entries = new Map(own.map(({ id, entry }) => [id, entry]));
  writeEntries(source, entries, { mayReplace: own.some(({ action }) => action === 'replaced'), isDryRun });
}

interface RecordOptions {
  readonly record: ReturnType<typeof openClientServers>;
  readonly own: readonly FoundFile[];
  readonly servers: readonly PlannedServer[];
}

function recordClient(client: ClientId, { record, own, servers }: RecordOptions): void {
  const inConfig = servers.filter(({ action }) => action !== 'conflict' && action !== 'invalid');
  const had = inConfig.flatMap(({ id, server, duplicates }) =>
    [server, ...duplicates].filter((one) => providesToClient(one, client)).map(({ name }) => ({ name, id })),
  );
  const names = own.flatMap((file) => file.servers.map(({ name }) => name));
  record.change(client, (before) => ({
    imported: [...new Set([...(before?.imported ?? []), ...had.map(({ id }) => id)])],
    names: { ...before?.names, ...Object.fromEntries(had.map(({ name, id }) => [name, id])) },
    shared: before?.shared ?? [],
    seen: [...new Set([...(before?.seen ?? []), ...names])],
  }));
}

/**
 * Whether the client gets this server from us once it is connected. It did not have a disabled one. It keeps those of a
 * project, because `connect` does not change files of projects.
 */
function providesToClient({ client, project, entry }: FoundServer, wanted: ClientId): boolean {
  return client === wanted && project === undefined && entry['enabled'] !== false;
}
