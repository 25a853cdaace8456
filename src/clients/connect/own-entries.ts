import { isOwnGateway } from '../../config/resolve/own-gateway.ts';
import { startsCodexServer } from './codex-registrations.ts';
import type { Connection } from './connections.ts';
import { baseName, readCommandLine } from './entry-command.ts';
import { openDocument, valueAt } from './format/document-format.ts';
import type { ClientFileState } from './plan-disconnect.ts';

/** The names of our entries in a client's config. */
export const GATEWAY_ENTRY = 'switchboard';
export const CODEX_ENTRY = 'codex';

/**
 * Finds entries that `connect` wrote but that are not recorded, because the data folder was deleted or belongs to
 * another SWITCHBOARD_HOME. Returns them as a connection without a backup.
 */
export function findUnrecorded({ target, file, format, current }: ClientFileState): Connection | undefined {
  const { content } = openDocument(current?.toString('utf8') ?? '', { file, format });
  const servers = target.serversPath(content);
  const { id } = target.client;
  const edits = [GATEWAY_ENTRY, CODEX_ENTRY].flatMap((name) => {
    const path = [...servers, name];
    const value = valueAt(content, path);
    return isWrittenByConnect(value, { name, client: id }) ? [{ kind: 'entry', path, value } as const] : [];
  });
  if (edits.length === 0) return undefined;
  // Of an unknown file: nothing has this digest.
  return { client: id, file, edits, containers: [], written: '', backup: '' };
}

/** Whether an entry of the client may be replaced by ours: it starts our gateway, or the MCP server that Codex had. */
export function isReplaceable(entry: unknown, name: string): boolean {
  const line = readCommandLine(entry);
  if (name === GATEWAY_ENTRY) return line !== undefined && isOwnGateway(line);
  return startsCodexServer(entry);
}

function isWrittenByConnect(
  entry: unknown,
  { name, client }: { readonly name: string; readonly client: string },
): boolean {
  const line = readCommandLine(entry);
  if (line === undefined || baseName(line.command) !== 'switchboard') return false;
  const expected = name === GATEWAY_ENTRY ? ['gateway', '--client', client] : ['codex'];
  return line.args.join('\0') === expected.join('\0');
}
