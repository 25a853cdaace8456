import type { Findings } from '../../clients/import/find-servers.ts';
import type { ImportPlan, PlannedServer } from '../../clients/import/plan-import.ts';
import { maskEntry } from '../mcp/config/mask-entry.ts';
import type { ClientCounts } from './client-counts.ts';

/** Returns the answer of `switchboard import --json`. It contains no secret. */
export function importDocument(
  { servers }: ImportPlan,
  { files, problems }: Findings,
  { isDryRun, clients = [] }: { readonly isDryRun: boolean; readonly clients?: readonly ClientCounts[] },
): Readonly<Record<string, unknown>> {
  return {
    dryRun: isDryRun,
    servers: servers.map(serverDocument),
    clients,
    skipped: files.flatMap(({ client, file, skipped }) =>
      skipped.map(({ name, line, reason }) => ({ name, client, file, line, reason })),
    ),
    problems,
  };
}

function serverDocument(planned: PlannedServer): Readonly<Record<string, unknown>> {
  const { id, action, source, server, duplicates, isEnabled, secrets, inline, missing, entry, fault } = planned;
  return {
    id,
    action,
    enabled: isEnabled,
    file: source.file,
    foundIn: [server, ...duplicates].map(({ name, client, title, file, line }) => ({
      name,
      client,
      title,
      file,
      line,
    })),
    entry: maskEntry(entry),
    secrets,
    inlineSecrets: inline,
    missing,
    notCarried: server.notCarried,
    ...(fault === undefined ? {} : { fault }),
  };
}
