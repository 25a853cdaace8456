import type { Environment } from '../../config/files/folders.ts';
import type { Source } from '../../config/files/sources.ts';
import { openSecretStore } from '../../config/secrets/secret-store.ts';
import { writeEntries } from '../../config/write/write-entry.ts';
import { type ClientServers, openClientServers } from '../client-servers.ts';
import { CLIENT_IDS, type ClientId } from '../clients.ts';
import type { FoundFile } from './find-servers.ts';
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
    if (!files.some((file) => file.client === client)) continue;
    record.change(client, (before) => recordAfter(client, { before, files, servers }));
  }
}

function write(source: Source, servers: readonly PlannedServer[], isDryRun: boolean): void {
  const own = servers.filter((server) => server.source.file === source.file);
  const entries = new Map(own.map(({ id, entry }) => [id, entry]));
  writeEntries(source, entries, { mayReplace: own.some(({ action }) => action === 'replaced'), isDryRun });
}

interface RecordOptions {
  readonly files: readonly FoundFile[];
  readonly servers: readonly PlannedServer[];
}

/**
 * Returns the record of a client after an import. A client that had a server disabled did not have it. It keeps those of
 * a project itself, because `connect` does not change files of projects.
 */
export function recordAfter(
  client: ClientId,
  { before, files, servers }: RecordOptions & { readonly before: ClientServers | undefined },
): ClientServers {
  const had = servers
    .filter(({ action }) => action !== 'conflict' && action !== 'invalid')
    .flatMap(({ id, server, duplicates }) =>
      [server, ...duplicates]
        .filter((one) => one.client === client && one.project === undefined && one.entry['enabled'] !== false)
        .map(({ name }) => ({ id, name })),
    );
  const seen = files.filter((file) => file.client === client).flatMap((file) => file.servers.map(({ name }) => name));
  return {
    imported: [...new Set([...(before?.imported ?? []), ...had.map(({ id }) => id)])],
    shared: before?.shared ?? [],
    seen: [...new Set([...(before?.seen ?? []), ...seen])],
    names: { ...before?.names, ...Object.fromEntries(had.map(({ id, name }) => [name, id])) },
  };
}
