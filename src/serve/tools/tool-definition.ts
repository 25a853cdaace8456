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
  /** Arguments are checked against it before the handler runs. */
  readonly input?: Input;
  /** What the handler returns is checked against it and sent as structured content. */
  readonly output?: Output;
  readonly annotations?: ToolAnnotations;
  readonly _meta?: Readonly<Record<string, unknown>>;
}

export type ToolHandler<Input, Output> = (
  args: Arguments<Input>,
  context: ToolContext,
) => Returned<Output> | PromiseLike<Returned<Output>>;

type Arguments<Input> = Input extends Schema ? Checked<Input> : Record<string, unknown>;

/** Without an output schema: text, a whole result, or anything that becomes JSON text. With one: a value of it, or a whole result. */
type Returned<Output> = Output extends Schema ? Accepted<Output> | WholeResult<Accepted<Output>> : unknown;

type WholeResult<Value> = AnyToolCallResult & ({ readonly structuredContent: Value } | { readonly isError: boolean });

/** A tool with everything that a call of it needs. */
export interface DefinedTool {
  readonly tool: Tool;
  readonly input: Checker;
  readonly output: Checker | undefined;
  readonly handler: (args: unknown, context: ToolContext) => unknown;
}

/** Checks a definition when it is made, so that a mistake shows where it stands and not at the first call. */
export function defineTool(name: string, definition: ToolDefinition, handler: unknown): DefinedTool {
  checkDefinition(name, definition, handler);
  // A stray member must not replace the name.
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
    throw new AppError('TOOL_INVALID', `The tool "${name}" cannot be listed: it is no JSON.`);
  return {
    tool,
    input,
    output,
    // It is a function, and the checker lets nothing through that its types do not allow.
    handler: handler as DefinedTool['handler'],
  };
}

/** For a tool that says nothing about its arguments: an object, whatever is in it. */
const NO_ARGUMENTS = { type: 'object', properties: {} };

const TOOL_NAME = /^[\w./-]{1,128}$/;

/** What types would catch, for those who write JavaScript. */
function checkDefinition(name: unknown, definition: unknown, handler: unknown): void {
  const mistake = findDefinitionError(name, definition, handler);
  if (mistake !== undefined) throw new AppError('TOOL_INVALID', `The tool ${JSON.stringify(name)} ${mistake}`);
}

function findDefinitionError(name: unknown, definition: unknown, handler: unknown): string | undefined {
  if (typeof name !== 'string' || !TOOL_NAME.test(name)) {
    return 'must have a name of 1 to 128 letters, digits, "_", "-", "." or "/".';
  }
  if (!isObject(definition)) return 'needs a definition: tool(name, { description, input }, handler).';
  if (typeof definition['description'] !== 'string') return 'needs a description: a model chooses tools by it.';
  if (typeof handler !== 'function') return 'needs a handler: tool(name, definition, (args) => …).';
  if ('inputSchema' in definition) return 'has "inputSchema": call it "input".';
  if ('outputSchema' in definition) return 'has "outputSchema": call it "output".';
  return undefined;
}
