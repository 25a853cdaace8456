import { AppError } from '../../../base/errors.ts';
import { programName } from '../../../base/program-name.ts';
import { nearestNames } from '../../../base/text/nearest-names.ts';
import { quoteForShell } from '../../../base/text/shell-quote.ts';
import { quoteIfNeeded } from '../../../base/text/visible-text.ts';
import { commandFor } from '../../../config/next-command.ts';
import type { ServerEntry } from '../../../config/server-entry.ts';
import type { ToolName } from './tool-name.ts';

/** Returns the command that lists the names of one server. */
export type ListCommand = (id: string) => string;

/** The default: the command that lists the tools of one server. */
export function toolsCommand(id: string, origin: ServerEntry['origin'] | undefined): string {
  if (origin?.target !== undefined) return commandFor('mcp tools', origin);
  // A value that begins with a dash would be parsed as the next option.
  return `${commandFor('mcp tools', origin)} --server${id.startsWith('-') ? '=' : ' '}${quoteForShell(id)}`;
}

/** Builds the error for the name of a server without that of a tool. */
export function serverNameError(written: string, id: string, lister: ListCommand): AppError {
  const next = `Write ${quoteIfNeeded(id)}.<name>. See: ${lister(id)}`;
  return new AppError('USAGE', `${quoteIfNeeded(written)} is a server, but no tool or prompt is named. ${next}`, {
    data: { server: id },
  });
}

/** Builds the error for an unknown server, or for a name of another form. */
export function unknownNameError(
  written: string,
  ids: readonly string[],
  origin: ServerEntry['origin'] | undefined,
): AppError {
  const [head = written] = written.split('.');
  const rest = written.slice(head.length);
  // The public name that a gateway gives to clients.
  const fromClients = ids
    .filter((id) => written.startsWith(`${id}__`))
    .map((id) => `${id}.${written.slice(id.length + 2)}`);
  const fromTypos = nearestNames(head, ids).map((id) => `${id}${rest === '' ? '.<name>' : rest}`);
  const near = fromClients.length > 0 ? fromClients : fromTypos;
  const choice =
    ids.length === 0
      ? `No server is configured yet. To import those of your clients, run: ${programName()} import`
      : `See: ${commandFor('mcp list', origin)}`;
  const names = near.slice(0, 3).map(formatName).join(' or ');
  const hint = names === '' ? choice : `Did you mean ${names}?`;
  const what = rest === '' ? `does not have the form <server>.<name>` : 'does not begin with a configured server';
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
  const next = toolsCommand(server, origin);
  const hint =
    near.length > 0
      ? `Did you mean ${near.map((name) => quoteIfNeeded(`${server}.${name}`)).join(' or ')}?`
      : `It has ${names.length}; ${next} lists them.`;
  const what = `${quoteIfNeeded(server)} has no tool ${quoteIfNeeded(tool)}${others.map((other) => alternativeReading(other, origin)).join('')}`;
  return new AppError('TOOL_NOT_FOUND', `${what}. ${hint}`, {
    data: { server, tool, near, next, ...(others.length === 0 ? {} : { others }) },
  });
}

function alternativeReading({ server, tool }: ToolName['others'][number], origin: ServerEntry['origin']): string {
  return ` (or did you mean tool ${quoteIfNeeded(tool)} of server ${quoteIfNeeded(server)}? See: ${toolsCommand(server, origin)})`;
}

/** The client for which a server produced its list. */
interface Availability {
  /** Process id of the gateway in between; undefined for a direct connection. */
  readonly gatewayPid: number | undefined;
  /** Whether the client has announced elicitation to the server. */
  readonly canPrompt: boolean;
}

/** Adds a hint that other clients may get the tool: many servers list tools depending on client capabilities. */
export function withAvailabilityHint(unknown: AppError, { gatewayPid, canPrompt }: Availability): AppError {
  const advice = availabilityHint({ gatewayPid, canPrompt: canPrompt });
  if (advice === undefined) return unknown;
  const { code, message, data, cause } = unknown;
  return new AppError(code, `${message} ${advice}`, { cause, data: { ...data, gatewayPid } });
}

function availabilityHint({ gatewayPid, canPrompt }: Availability): string | undefined {
  if (gatewayPid !== undefined)
    return `The server may not offer this tool to the client of the running gateway (process id ${gatewayPid}): try --direct.`;
  return canPrompt ? undefined : 'Some tools are offered only if the user can be prompted: try it on a terminal.';
}
