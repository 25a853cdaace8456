import { AppError } from '../base/errors.ts';
import type { ToolContext } from './context.ts';
import type { Tool, ToolAnnotations, ToolCallResult } from './protocol.ts';
import { type Checked, type Checker, createChecker, type Schema } from './schema.ts';

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

type Arguments<Input> = Input extends Schema ? Checked<Input> : Record<string, unknown>;

/** Without an output schema: text, a whole result, or anything that becomes JSON text. With one: a value of it, or a whole result. */
type Returned<Output> = Output extends Schema ? Checked<Output> | ToolCallResult : unknown;

export type ToolHandler<Input, Output> = (
  args: Arguments<Input>,
  context: ToolContext,
) => Returned<Output> | Promise<Returned<Output>>;

export interface RegisteredTool {
  readonly tool: Tool;
  readonly input: Checker;
  readonly output: Checker | undefined;
  readonly handler: (args: unknown, context: ToolContext) => unknown;
}

export interface ToolCatalog {
  add(entry: RegisteredTool): void;
  remove(name: string): boolean;
  find(name: string): RegisteredTool | undefined;
  names(): string[];
  /** The members of a `tools/list` result as JSON text, without the braces. Serialised once per change. */
  listJson(): string;
  /** Calls back after each change; the returned function ends that. */
  onChange(listener: () => void): () => void;
}

export function createToolCatalog(): ToolCatalog {
  const tools = new Map<string, RegisteredTool>();
  const listeners = new Set<() => void>();
  let json: string | undefined;

  const changed = () => {
    json = undefined;
    for (const listener of listeners) listener();
  };

  return {
    add(entry) {
      if (tools.has(entry.tool.name))
        throw new AppError('TOOL_INVALID', `The tool ${JSON.stringify(entry.tool.name)} is defined twice.`);
      tools.set(entry.tool.name, entry);
      changed();
    },
    remove(name) {
      const removed = tools.delete(name);
      if (removed) changed();
      return removed;
    },
    find: (name) => tools.get(name),
    names: () => [...tools.keys()],
    listJson() {
      json ??= `"tools":${JSON.stringify([...tools.values()].map((entry) => entry.tool))}`;
      return json;
    },
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

export function registerTool(
  name: string,
  definition: ToolDefinition,
  handler: (args: never, context: ToolContext) => unknown,
): RegisteredTool {
  if (!TOOL_NAME.test(name)) {
    throw new AppError(
      'TOOL_INVALID',
      `The tool name ${JSON.stringify(name)} must be 1 to 128 letters, digits, "_", "-", "." or "/".`,
    );
  }
  const { input: inputSchema = NO_ARGUMENTS, output: outputSchema, ...shown } = definition;
  const input = createChecker(inputSchema, 'input', `The input of tool "${name}"`);
  const output = outputSchema && createChecker(outputSchema, 'output', `The output of tool "${name}"`);
  return {
    tool: {
      name,
      ...shown,
      inputSchema: input.jsonSchema,
      ...(output === undefined ? {} : { outputSchema: output.jsonSchema }),
    },
    input,
    output,
    // The checker lets nothing through that the handler's own types do not allow.
    handler: handler as RegisteredTool['handler'],
  };
}

/** For a tool that says nothing about its arguments: an object, whatever is in it. */
const NO_ARGUMENTS = { type: 'object', properties: {} };

const TOOL_NAME = /^[\w./-]{1,128}$/;
