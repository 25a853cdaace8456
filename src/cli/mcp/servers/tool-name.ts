import type { Definitions } from '../../../config/load-config.ts';
import { commandFor } from '../../../config/next-command.ts';
import type { ServerEntry } from '../../../config/server-entry.ts';
import { unknownServer } from '../../../config/unknown-server.ts';
import { type ListCommand, serverNameError, toolsCommand, unknownNameError } from './name-errors.ts';

/** A tool and its server. */
export interface ToolName {
  readonly server: string;
  readonly tool: string;
  /** Other possible readings of the typed name, because an id may contain a dot. */
  readonly others: readonly Pick<ToolName, 'server' | 'tool'>[];
}

interface NameOptions {
  /** Returns the command that lists the names of one server. */
  readonly listCommandFor?: ListCommand;
  readonly origin?: ServerEntry['origin'] | undefined;
}

/** Parses `<server>.<tool>`. Both may contain dots: the longest matching id wins. */
export function parseToolName(
  written: string,
  ids: readonly string[],
  { listCommandFor = (id) => toolsCommand(id, undefined), origin }: NameOptions = {},
): ToolName {
  const known = ids.filter((id) => written.startsWith(`${id}.`)).sort((a, b) => b.length - a.length);
  const [server, ...shorter] = known;
  const toolOf = (id: string) => written.slice(id.length + 1);
  const tool = server === undefined ? '' : toolOf(server);
  if (server !== undefined && tool !== '')
    return { server, tool, others: shorter.map((id) => ({ server: id, tool: toolOf(id) })) };
  const id = server ?? ids.find((one) => one === written);
  if (id === undefined) throw unknownNameError(written, ids, origin);
  throw serverNameError(written, id, listCommandFor);
}

/** Does the same with definitions that are already read: an unreadable file may contain the server. */
export function findToolName(written: string, definitions: Definitions, listVerb?: string): ToolName {
  const [first] = definitions.servers;
  const listCommandFor = (id: string) =>
    listVerb === undefined ? toolsCommand(id, first?.origin) : commandFor(listVerb, first?.origin, id);
  const ids = definitions.servers.map(({ id }) => id);
  try {
    return parseToolName(written, ids, { listCommandFor, origin: first?.origin });
  } catch (error) {
    const isBroken = definitions.files.some(({ state }) => state === 'broken');
    const isKnown = ids.some((id) => written === id || written.startsWith(`${id}.`));
    throw isBroken && !isKnown ? unknownServer(written, definitions) : error;
  }
}
