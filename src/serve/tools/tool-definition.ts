import { AppError } from '../../base/errors.ts';
import { isObject, toJson } from '../../wire/messages.ts';
import type { ToolContext } from '../context.ts';
import type { AnyToolCallResult, Tool, ToolAnnotations } from '../protocol.ts';
import { type Accepted, type Checked, type Checker, createChecker, type Schema } from './schema.ts';

export interface ToolDefinition<
  Input extends Schema | undefined = Schema | undefined,
  Output extends Schema | undefined = Schema | undefined,
> {
  readonly title?: string;
  readonly description: string;
  /** The schema of the arguments, which are validated before the handler runs. */
  readonly input?: Input;
  /** The schema of the return value, which is validated and sent as structured content. */
  readonly output?: Output;
  readonly annotations?: ToolAnnotations;
  readonly _meta?: Readonly<Record<string, unknown>>;
}

export type ToolHandler<Input, Output> = (
  args: Arguments<Input>,
  context: ToolContext,
) => Returned<Output> | PromiseLike<Returned<Output>>;

type Arguments<Input> = Input extends Schema ? Checked<Input> : Record<string, unknown>;

/**
 * Without an output schema: text, a complete result, or any value that can be serialized to JSON. With one: a value
 * that matches it, or a complete result.
 */
type Returned<Output> = Output extends Schema ? Accepted<Output> | WholeResult<Accepted<Output>> : unknown;

type WholeResult<Value> = AnyToolCallResult & ({ readonly structuredContent: Value } | { readonly isError: boolean });

/** A tool with everything needed to call it. */
export interface DefinedTool {
  readonly tool: Tool;
  readonly input: Checker;
  readonly output: Checker | undefined;
  readonly handler: (args: unknown, context: ToolContext) => unknown;
}

/**
 * Validates a definition and creates the tool, so that mistakes surface at the definition and not at the first call.
 */
export function defineTool(name: string, definition: ToolDefinition, handler: unknown): DefinedTool {
  checkDefinition(name, definition, handler);
  // A `name` in the definition must not replace the tool's name.
  const { input: inputSchema = NO_ARGUMENTS, output: outputSchema, name: _, ...listed } = { name, ...definition };
  const input = createChecker(inputSchema, 'input', `The input of tool "${name}"`);
  const output =
    outputSchema === undefined ? undefined : createChecker(outputSchema, 'output', `The output of tool "${name}"`);
  const tool = {
    name,
    ...listed,
    inputSchema: input.jsonSchema,
    ...(output === undefined ? {} : { outputSchema: output.jsonSchema }),
  };
  if (toJson(tool) === undefined)
    throw new AppError('TOOL_INVALID', `The tool "${name}" cannot be listed: it cannot be written as JSON.`);
  return {
    tool,
    input,
    output,
    // `checkDefinition` has verified that it is a function, and the checker admits only values of its argument type.
    handler: handler as DefinedTool['handler'],
  };
}

/** For a tool without an input schema: an object with any members. */
const NO_ARGUMENTS = { type: 'object', properties: {} };

const TOOL_NAME = /^[\w./-]{1,128}$/;

/** Throws for mistakes that the types would catch, for callers in JavaScript. */
function checkDefinition(name: unknown, definition: unknown, handler: unknown): void {
  const mistake = findDefinitionError(name, definition, handler);
  if (mistake !== undefined) throw new AppError('TOOL_INVALID', `The tool ${JSON.stringify(name)} ${mistake}`);
}

function findDefinitionError(name: unknown, definition: unknown, handler: unknown): string | undefined {
  if (typeof name !== 'string' || !TOOL_NAME.test(name)) {
    return 'must have a name of 1 to 128 letters, digits, "_", "-", "." or "/".';
  }
  if (!isObject(definition)) return 'needs a definition: tool(name, { description, input }, handler).';
  if (typeof definition['description'] !== 'string') return 'needs a description: models choose tools by it.';
  if (typeof handler !== 'function') return 'needs a handler: tool(name, definition, (args) => …).';
  if ('inputSchema' in definition) return 'has "inputSchema": call it "input".';
  if ('outputSchema' in definition) return 'has "outputSchema": call it "output".';
  return undefined;
}
