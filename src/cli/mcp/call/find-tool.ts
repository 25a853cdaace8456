import { escapeInvisible, quoteIfNeeded } from '../../../base/text/visible-text.ts';
import type { ServerEntry } from '../../../config/server-entry.ts';
import { isToolEnabled } from '../../../config/tool-filter.ts';
import { isSafeToRepeat } from '../../../schema/definitions/definition.ts';
import { readDefinitionList } from '../../../schema/definitions/definition-list.ts';
import { toListError } from '../../../upstream/catalog/fetch-list.ts';
import { isObject } from '../../../wire/messages.ts';
import { propertyNames } from '../../input-schema/alternatives.ts';
import { suggestNames } from '../../input-schema/name-advice.ts';
import { type ValidationResult, validateArguments } from '../../input-schema/validate-arguments.ts';
import { canPrompt } from '../../terminal/confirm.ts';
import { unknownToolError, withAvailabilityHint } from '../servers/name-errors.ts';
import { type ReachedServer, withFailureContext } from '../servers/reach-server.ts';
import { buildArguments } from './build-arguments.ts';
import { argumentsError, heldBackError, hiddenToolError } from './call-errors.ts';
import { withPlainNumbers } from './exact-json.ts';
import type { CallRequest, CallTarget } from './parse-call-arguments.ts';

export interface FoundTool {
  readonly schema: unknown;
  /** Why the definition is unusable. The tool can still be called, and its server validates the arguments. */
  readonly fault: string | undefined;
  /** Whether the server declares that running the tool twice does no harm. */
  readonly isSafeToRepeat: boolean;
}

/** Finds the tool in the server's own list. */
export async function findTool(
  server: ReachedServer,
  { entry, tool, others }: CallTarget,
  timeoutMs: number | undefined,
): Promise<FoundTool> {
  const isOffering = isObject(server.initializeResult.capabilities['tools']);
  const failed = (error: unknown) => {
    throw toListError('tools', error);
  };
  const list = () => withFailureContext(entry, () => server.list('tools', timeoutMs).catch(failed));
  const { pages } = isOffering ? await list() : { pages: [] };
  const toolList = readDefinitionList('tools', pages);
  const { items, quarantined } = toolList;
  const found = items.find(({ key }) => key === tool);
  const fault = quarantined.find(({ name }) => name === tool)?.reason;
  if (found === undefined && fault === undefined)
    throw withAvailabilityHint(
      unknownToolError(entry, tool, items.map(({ key }) => key).filter(isVisible(entry)), others),
      // A server's list depends on the client capabilities that it received.
      { gatewayPid: server.gatewayPid, canPrompt: canPrompt() },
    );
  if (!isVisible(entry)(tool)) throw hiddenToolError(entry, tool);
  const held = found === undefined ? undefined : server.heldBack(toolList)(found);
  if (held !== undefined) throw heldBackError(entry, tool, held);
  const definition: unknown = found === undefined ? undefined : JSON.parse(found.json);
  const safety = { isSafeToRepeat: found !== undefined && isSafeToRepeat(found) };
  if (isObject(definition)) return { schema: definition['inputSchema'], fault: undefined, ...safety };
  return { schema: undefined, fault, ...safety };
}

export interface PreparedArguments {
  readonly arguments: Readonly<Record<string, unknown>>;
  /** Worth knowing, but not a failure. */
  readonly notes: readonly string[];
}

/** Builds the arguments according to the tool's schema. Reports faults per field and then calls nothing. */
export async function prepareArguments(
  { target, input }: Pick<CallRequest, 'target' | 'input'>,
  { schema, fault }: Pick<FoundTool, 'schema' | 'fault'>,
): Promise<PreparedArguments> {
  const built = buildArguments(input.pairs, input.base, schema);
  const name = `${target.entry.id}.${target.tool}`;
  const checked: ValidationResult =
    fault === undefined
      ? await validateArguments(withPlainNumbers(built), schema)
      : { kind: 'unchecked', why: `its definition has a problem: ${escapeInvisible(fault)}` };
  if (checked.kind === 'unchecked')
    return {
      arguments: built,
      notes: [`Note: the arguments of ${quoteIfNeeded(name)} are not checked: ${checked.why}.`],
    };
  const { faults } = checked;
  if (faults.length === 0) return { arguments: built, notes: unknownArgumentNotes(built, schema) };
  throw argumentsError(target, faults);
}

function isVisible({ tools }: ServerEntry): (tool: string) => boolean {
  return (tool) => isToolEnabled(tools, tool);
}

/** Most schemas allow unknown arguments and most servers ignore them, so an unknown name is usually a typing error. */
function unknownArgumentNotes(built: Readonly<Record<string, unknown>>, schema: unknown): readonly string[] {
  const known = propertyNames(schema, schema);
  if (known.length === 0) return [];
  return Object.keys(built)
    .filter((name) => !known.includes(name))
    .map((name) => `Note: the tool has no argument ${quoteIfNeeded(name)}. ${suggestNames(name, known)}`);
}
