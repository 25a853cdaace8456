import { AppError } from '../../../base/errors.ts';
import { nearestNames } from '../../../base/text/nearest-names.ts';
import { quoteForShell } from '../../../base/text/shell-quote.ts';
import { quoteIfNeeded } from '../../../base/text/visible-text.ts';
import type { Definitions } from '../../../config/load-config.ts';
import { commandFor } from '../../../config/next-command.ts';
import type { ServerEntry } from '../../../config/server-entry.ts';
import { unknownServer } from '../config/unknown-server.ts';

/** A tool and its server. */
export interface ToolName {
  readonly server: string;
  readonly tool: string;
  /** Other possible readings of the typed name, because an id may contain a dot. */
  readonly others: readonly Pick<ToolName, 'server' | 'tool'>[];
}

interface NameOptions {
  /** Returns the command that lists the names of one server. */
  readonly lister?: ListCommand;
  readonly origin?: ServerEntry['origin'] | undefined;
}

type ListCommand = (id: string) => string;

/** Parses `<server>.<tool>`. Both may contain dots: the longest matching id wins. */
export function parseToolName(
  written: string,
  ids: readonly string[],
  { lister = toolListCommand(undefined), origin }: NameOptions = {},
): ToolName {
  const known = ids.filter((id) => written.startsWith(`${id}.`)).sort((a, b) => b.length - a.length);
  const [server, ...shorter] = known;
  const toolOf = (id: string) => written.slice(id.length + 1);
  const tool = server === undefined ? '' : toolOf(server);
  if (server !== undefined && tool !== '')
    return { server, tool, others: shorter.map((id) => ({ server: id, tool: toolOf(id) })) };
  const id = server ?? ids.find((one) => one === written);
  if (id === undefined) throw unknownNameError(written, ids, origin);
  const next = `Write ${quoteIfNeeded(id)}.<name>; ${lister(id)} shows what it has.`;
  throw new AppError('USAGE', `${quoteIfNeeded(written)} is a server, and nothing of it is named. ${next}`, {
    data: { server: id },
  });
}

function toolListCommand(server: Pick<ServerEntry, 'origin'> | undefined): ListCommand {
  // A value that begins with a dash would be parsed as the next option.
  return (id) =>
    `${commandFor('mcp tools', server?.origin)} --server${id.startsWith('-') ? '=' : ' '}${quoteForShell(id)}`;
}

/** Does the same with definitions that are already read: an unreadable file may contain the server. */
export function findToolName(written: string, definitions: Definitions, listVerb?: string): ToolName {
  const [first] = definitions.servers;
  const lister =
    listVerb === undefined ? toolListCommand(first) : (id: string) => commandFor(listVerb, first?.origin, id);
  const ids = definitions.servers.map(({ id }) => id);
  try {
    return parseToolName(written, ids, { lister, origin: first?.origin });
  } catch (error) {
    const isBroken = definitions.files.some(({ state }) => state === 'broken');
    const isKnown = ids.some((id) => written === id || written.startsWith(`${id}.`));
    throw isBroken && !isKnown ? unknownServer(written, definitions) : error;
  }
}

/** Builds the error for an unknown server, or for a name of another form. */
function unknownNameError(written: string, ids: readonly string[], origin: NameOptions['origin']): AppError {
  const [head = written] = written.split('.');
  const rest = written.slice(head.length);
  // The public name that a gateway gives to clients.
  const fromClients = ids
    .filter((id) => written.startsWith(`${id}__`))
    .map((id) => `${id}.${written.slice(id.length + 2)}`);
  const fromSlips = nearestNames(head, ids).map((id) => `${id}${rest === '' ? '.<name>' : rest}`);
  const near = fromClients.length > 0 ? fromClients : fromSlips;
  const choice =
    ids.length === 0 ? 'None is configured: see switchboard mcp add --help' : `See: ${commandFor('mcp list', origin)}`;
  const names = near.slice(0, 3).map(formatName).join(' or ');
  const hint = names === '' ? choice : `Did you mean ${names}?`;
  const what = rest === '' ? `is not of the form <server>.<name>` : 'begins with no server that is configured';
  return new AppError('USAGE', `${quoteIfNeeded(written)} ${what}. ${hint}`, {
    data: { unknown: written, known: ids },
  });
}

/** `<name>` is a placeholder, not untrusted text. */
function formatName(name: string): string {
  return name.endsWith('.<name>') ? `${quoteIfNeeded(name.slice(0, -'.<name>'.length))}.<name>` : quoteIfNeeded(name);
}

/** Builds the error for an unknown tool of a known server. Suggests another reading without querying its server. */
export function unknownToolError(
  { id: server, origin }: Pick<ServerEntry, 'id' | 'origin'>,
  tool: string,
  names: readonly string[],
  others: ToolName['others'] = [],
): AppError {
  const near = nearestNames(tool, names);
  const lister = toolListCommand({ origin });
  const next = lister(server);
  const hint =
    near.length > 0
      ? `Did you mean ${near.map((name) => quoteIfNeeded(`${server}.${name}`)).join(' or ')}?`
      : `It has ${names.length}: ${next} shows them.`;
  const what = `${quoteIfNeeded(server)} has no tool ${quoteIfNeeded(tool)}${others.map((other) => alternativeReading(other, lister)).join('')}`;
  return new AppError('TOOL_NOT_FOUND', `${what}. ${hint}`, {
    data: { server, tool, near, next, ...(others.length === 0 ? {} : { others }) },
  });
}

function alternativeReading({ server, tool }: ToolName['others'][number], lister: ListCommand): string {
  return ` (or do you mean ${quoteIfNeeded(tool)} of ${quoteIfNeeded(server)}? See: ${lister(server)})`;
}
