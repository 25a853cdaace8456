import { isAppError } from '../../base/errors.ts';
import { switchboardDialect } from '../../config/dialects/switchboard.ts';
import { decodeEntry } from '../../config/entry/decode-entry.ts';
import { listVariables } from '../../config/entry/variable-uses.ts';
import { readConfigFile } from '../../config/files/config-file.ts';
import type { Environment } from '../../config/files/folders.ts';
import type { Source } from '../../config/files/sources.ts';
import { parseJsonText } from '../../config/json/json-value.ts';
import { openSecretStore } from '../../config/secrets/secret-store.ts';
import type { ServerEntry } from '../../config/server-entry.ts';
import type { WrittenEntry } from '../../config/write/write-entry.ts';
import { isObject } from '../../wire/messages.ts';
import { definitionKey } from './definition-key.ts';
import { type CleanEntry, extractSecrets } from './extract-secrets.ts';
import type { FoundServer } from './find-servers.ts';
import type { ImportCandidate } from './merge-servers.ts';
import { missingVariables } from './missing-variables.ts';
import { startsDropIn } from './replace-codex-server.ts';
import { createSecretNames } from './secret-names.ts';

/** What an import does with one server. */
export interface PlannedServer extends ImportCandidate, Pick<CleanEntry, 'secrets' | 'inline'> {
  readonly source: Source;
  readonly entry: WrittenEntry;
  /** `kept`: our config already has it. `conflict`: our config has another server under this id. */
  readonly action: 'added' | 'replaced' | 'kept' | 'conflict' | 'invalid';
  /** Why the entry is invalid. */
  readonly fault: string | undefined;
  /** Variables that the entry needs and that neither the environment nor the secret store has. */
  readonly missing: readonly string[];
}

export interface ImportPlan {
  readonly servers: readonly PlannedServer[];
  /** Values to store, by variable. */
  readonly secrets: ReadonlyMap<string, string>;
}

export interface PlanOptions {
  readonly environment: Environment;
  readonly mayReplace: boolean;
  /** Returns the config to which a server is written. */
  sourceOf(server: FoundServer): Source;
}

/** Decides what to write for each server. Writes nothing. */
export function planImport(candidates: readonly ImportCandidate[], options: PlanOptions): ImportPlan {
  const { environment, mayReplace } = options;
  const stored = openSecretStore(environment).readAll();
  const reserved = new Set(candidates.flatMap(({ id, server }) => variablesOf(id, server.entry)));
  const names = createSecretNames({ env: environment.env, stored, reserved });
  const existing = new Map<string, ReadonlyMap<string, WrittenEntry>>();
  const servers = candidates.map((candidate): PlannedServer => {
    const source = options.sourceOf(candidate.server);
    const before = existing.get(source.file) ?? readEntries(source);
    existing.set(source.file, before);
    const fault = faultOf(candidate.id, candidate.server.entry);
    const clean =
      fault === undefined
        ? extractSecrets(candidate.id, candidate.server.entry, names)
        : { entry: {}, secrets: [], inline: [] };
    const key = definitionKey(clean.entry);
    const same = [...before].find(([, entry]) => definitionKey(entry) === key)?.[0];
    const isTaken = before.has(candidate.id);
    const fresh = isTaken ? (mayReplace ? 'replaced' : 'conflict') : 'added';
    const action = fault === undefined ? (same === undefined ? fresh : 'kept') : 'invalid';
    const { enabled: _, ...settings } = clean.entry;
    const from = `${candidate.server.title} (${tildePath(candidate.server.file, environment)})`;
    const entry = { ...settings, ...(candidate.isEnabled ? {} : { enabled: false }), imported_from: from };
    const missing = missingVariables(entry, { ...environment.env, ...stored, ...Object.fromEntries(names.fresh) });
    return { ...candidate, ...clean, id: same ?? candidate.id, source, entry, action, fault, missing };
  });
  return { servers, secrets: names.fresh };
}

/** Returns the enabled entries that an import adds, as our config reader would decode them. */
export function plannedEntries({ servers }: ImportPlan): readonly ServerEntry[] {
  const added = servers.filter(({ action, isEnabled }) => isEnabled && (action === 'added' || action === 'replaced'));
  return added.flatMap(({ id, entry }) => {
    const decoded = decode(id, entry);
    return decoded?.kind === 'on' ? [decoded.entry] : [];
  });
}

/** Returns whether an import writes an entry that starts the launcher, which must be installed then. */
export function usesLauncher({ servers }: ImportPlan, environment: Environment): boolean {
  const written = servers.filter(({ action }) => action === 'added' || action === 'replaced');
  return written.some(({ entry }) => startsDropIn(entry, environment));
}

/** Returns our entries as written. */
function readEntries(source: Source): ReadonlyMap<string, WrittenEntry> {
  const servers = readConfigFile(source)?.servers ?? [];
  return new Map(
    servers.flatMap(({ id = '', value: { content } }) => (isObject(content) ? [[id, content] as const] : [])),
  );
}

/** Returns why our config reader would reject an entry; undefined for a valid one. */
function faultOf(id: string, entry: WrittenEntry): string | undefined {
  try {
    decode(id, entry);
    return undefined;
  } catch (error) {
    if (!isAppError(error)) throw error;
    return String(error.data?.['message'] ?? error.message)
      .replace(`mcp.servers.${id}.`, '')
      .replace(/\.$/, '');
  }
}

function variablesOf(id: string, entry: WrittenEntry): readonly string[] {
  try {
    const decoded = decode(id, entry);
    return decoded?.kind === 'on' ? listVariables(decoded.entry) : [];
  } catch {
    // An invalid entry is not imported and reported elsewhere.
    return [];
  }
}

function decode(id: string, entry: WrittenEntry): ReturnType<typeof decodeEntry> | undefined {
  const text = JSON.stringify({ version: 1, mcp: { servers: { [id]: { ...entry, enabled: true } } } });
  const [server] = switchboardDialect.readServers(parseJsonText('', Buffer.from(text)));
  const origin = { layer: 'global', file: '', line: 0 } as const;
  return server && decodeEntry(server.value, { id, origin, dialect: switchboardDialect });
}

/** Shortens a path below the home folder. */
export function tildePath(file: string, { home }: Pick<Environment, 'home'>): string {
  return file.startsWith(`${home}/`) || file.startsWith(`${home}\\`) ? `~${file.slice(home.length)}` : file;
}
