import { AppError } from '../../../base/errors.ts';
import { visible, visibleWord } from '../../../base/text/visible-text.ts';
import { commandFor } from '../../../config/next-command.ts';
import { place } from '../../../config/problem.ts';
import type { ServerEntry } from '../../../config/server-entry.ts';
import { hidingSetting } from '../../../config/tool-filter.ts';
import { readList } from '../../../schema/definitions/definition-list.ts';
import { listFailure } from '../../../upstream/catalog/fetch-list.ts';
import { isObject } from '../../../wire/messages.ts';
import { memberNames } from '../../input-schema/alternatives.ts';
import { nameAdvice } from '../../input-schema/name-advice.ts';
import { type CheckedArguments, checkArguments } from '../../input-schema/validate-arguments.ts';
import { canAsk } from '../../terminal/confirm.ts';
import type { ReachedServer } from '../servers/reach-server.ts';
import { asFailureOf } from '../servers/server-failure.ts';
import { unknownTool } from '../servers/tool-name.ts';
import { withOffer } from '../servers/tool-offered.ts';
import { buildArguments } from './build-arguments.ts';
import { rounded } from './exact-json.ts';
import type { CallRequest } from './parse-call-arguments.ts';

export interface FoundTool {
  readonly schema: unknown;
  /** Why its definition cannot be used: it can be called all the same, and its server judges the arguments. */
  readonly fault: string | undefined;
}

/** Finds the tool in the server's own list. */
export async function findTool(
  server: ReachedServer,
  { entry, tool, others }: Pick<CallRequest, 'entry' | 'tool' | 'others'>,
  timeoutMs: number | undefined,
): Promise<FoundTool> {
  const isOffering = isObject(server.facts.capabilities['tools']);
  const failed = (error: unknown) => {
    throw listFailure('tools', error);
  };
  const list = () => asFailureOf(entry, () => server.list('tools', timeoutMs).catch(failed));
  const { pages } = isOffering ? await list() : { pages: [] };
  const toolList = readList('tools', pages);
  const { items, quarantined } = toolList;
  const found = items.find(({ key }) => key === tool);
  const fault = quarantined.find(({ name }) => name === tool)?.reason;
  if (found === undefined && fault === undefined)
    throw notListed(unknownTool(entry, tool, items.map(({ key }) => key).filter(isShown(entry)), others), server);
  if (!isShown(entry)(tool)) throw hidden(entry, tool);
  const held = found === undefined ? undefined : server.heldBack(toolList)(found);
  if (held !== undefined) throw heldBack(entry, tool, held);
  const definition: unknown = found === undefined ? undefined : JSON.parse(found.json);
  if (isObject(definition)) return { schema: definition['inputSchema'], fault: undefined };
  return { schema: undefined, fault };
}

/** What a server lists goes by what it was told that we can do. */
function notListed(unknown: AppError, { gatewayPid }: ReachedServer): AppError {
  return withOffer(unknown, { gatewayPid, isAsked: canAsk() });
}

export interface FittedArguments {
  readonly arguments: Readonly<Record<string, unknown>>;
  /** Worth knowing, and no failure. */
  readonly notes: readonly string[];
}

/** What was typed, as the tool's schema wants it. What does not fit is told field by field, and nothing is called. */
export async function fitArguments(
  { entry, tool, pairs, base }: CallRequest,
  { schema, fault }: FoundTool,
): Promise<FittedArguments> {
  const built = buildArguments(pairs, base, schema);
  const name = `${entry.id}.${tool}`;
  const checked: CheckedArguments =
    fault === undefined
      ? await checkArguments(rounded(built), schema)
      : { kind: 'unchecked', why: `in its definition ${visible(fault)}` };
  if (checked.kind === 'unchecked')
    return {
      arguments: built,
      notes: [`Note: the arguments of ${visibleWord(name)} are not checked: ${checked.why}.`],
    };
  const { faults } = checked;
  if (faults.length === 0) return { arguments: built, notes: unknownNotes(built, schema) };
  const words = faults.map(({ field, message }) => `${field}: ${message}${message.endsWith('?') ? '' : '.'}`);
  const next = `See: ${commandFor('mcp tool', entry.origin, name)}`;
  throw new AppError('USAGE', `${visibleWord(name)} takes other arguments. ${words.join(' ')} ${next}`, {
    data: { server: entry.id, tool, fields: faults },
  });
}

function hidden({ id, origin, tools }: ServerEntry, tool: string): AppError {
  const why =
    hidingSetting(tools, tool) === 'disabled_tools' ? 'is among its disabled_tools' : 'is not among its enabled_tools';
  const where = place(origin.file, origin.line);
  const message = `${visibleWord(`${id}.${tool}`)} is hidden by the config: it ${why} (${where}).`;
  return new AppError('DENIED', `${message} Change it there to call it.`, { data: { server: id, tool } });
}

function heldBack({ id }: ServerEntry, tool: string, why: string): AppError {
  return new AppError('DENIED', `${visibleWord(`${id}.${tool}`)} is ${visible(why)}`, { data: { server: id, tool } });
}

function isShown({ tools }: ServerEntry): (tool: string) => boolean {
  return (tool) => hidingSetting(tools, tool) === undefined;
}

/** Most schemas allow what they do not name, and most servers pass over it: it is a slip more often than not. */
function unknownNotes(built: Readonly<Record<string, unknown>>, schema: unknown): readonly string[] {
  const known = memberNames(schema, schema);
  if (known.length === 0) return [];
  return Object.keys(built)
    .filter((name) => !known.includes(name))
    .map((name) => `Note: the tool names no argument ${visibleWord(name)}. ${nameAdvice(name, known)}`);
}
