import { AppError } from '../../../base/errors.ts';
import { nearestNames } from '../../../base/text/nearest-names.ts';
import { quoteForShell } from '../../../base/text/shell-quote.ts';
import { quoteIfNeeded } from '../../../base/text/visible-text.ts';
import { commandFor } from '../../../config/next-command.ts';
import type { ConfiguredServer, LoadedConfig } from '../../../config/server-entry.ts';
import { didYouMean, unknownServers } from '../../../config/unknown-server.ts';
import { mayBeNameOf } from '../../../gateway/catalog/public-names.ts';
import type { ExplainedTools } from '../../../gateway/status/explain-tools.ts';

/** The subject of an explanation. */
export interface Subject {
  readonly server: ConfiguredServer;
  /** As requested; undefined for all tools. */
  readonly tool: string | undefined;
}

/** Parses `server` or `server.tool`. Ids may contain dots: the longest match wins. */
export function findSubject(wanted: string, config: LoadedConfig): Subject {
  const whole = config.servers.find(({ id }) => id === wanted);
  if (whole !== undefined) return { server: whole, tool: undefined };
  const [server] = config.servers
    .filter(({ id }) => wanted.startsWith(`${id}.`))
    .sort((one, other) => other.id.length - one.id.length);
  if (server === undefined) throw unknownSubject(wanted, config);
  return { server, tool: wanted.slice(server.id.length + 1) };
}

function unknownSubject(wanted: string, config: LoadedConfig): AppError {
  const known = config.servers.map(({ id }) => id);
  const [dotted = wanted] = wanted.split('.');
  const near = [...toolNames(wanted, known), ...nearestNames(wanted, known), ...nearestNames(dotted, known)];
  return unknownServers(wanted, config, near);
}

/** A name as shown by a client means the tool. */
function toolNames(wanted: string, known: readonly string[]): string[] {
  return known.filter((id) => mayBeNameOf(id, wanted)).map((id) => `${id}.${wanted}`);
}

/** Selects one tool by its own name or else by its public name. Empty when the tool does not exist. */
export function pickTool(explained: ExplainedTools, tool: string): ExplainedTools {
  const { tools, leftOut } = explained;
  const found = tools.find(({ name }) => name === tool) ?? tools.find(({ publicName }) => publicName === tool);
  return {
    ...explained,
    tools: found === undefined ? [] : [found],
    leftOut: leftOut.filter(({ name }) => name === tool),
  };
}

export function unknownTool({ server, tool = '' }: Subject, { tools, leftOut }: ExplainedTools): AppError {
  const known = [...tools.map(({ name }) => name), ...leftOut.flatMap(({ name }) => name ?? [])];
  const near = nearestNames(tool, [...known, ...tools.map(({ publicName }) => publicName)]);
  const count = `it has ${tools.length}; ${commandFor('gateway', server.origin)} --explain ${quoteForShell(server.id)} lists them`;
  const message = `${quoteIfNeeded(server.id)} has no tool ${quoteIfNeeded(tool)}: ${count}.${didYouMean(near)}`;
  return new AppError('TOOL_NOT_FOUND', message, { data: { server: server.id, unknown: tool, near } });
}
