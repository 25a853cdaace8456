import { isOwnGateway } from '../../config/resolve/own-gateway.ts';
import { isObject } from '../../wire/messages.ts';
import type { Connection } from './connections.ts';
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
  if (line === undefined) return false;
  if (name === GATEWAY_ENTRY) return isOwnGateway(line);
  return baseName(line.command) === 'codex' && ['mcp', 'mcp-server'].includes(line.args[0] ?? '');
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

/** Reads `command` and `args`, or the list that opencode uses instead. */
function readCommandLine(entry: unknown): { readonly command: string; readonly args: readonly string[] } | undefined {
  if (!isObject(entry)) return undefined;
  const words = [entry['command'], entry['args'] ?? []].flat();
  const [command, ...args] = words.filter((word) => typeof word === 'string');
  return command === undefined ? undefined : { command, args };
}

function baseName(command: string): string {
  return (command.split(/[/\\]/).at(-1) ?? '').replace(/\.(?:cmd|exe|ps1)$/i, '');
}
