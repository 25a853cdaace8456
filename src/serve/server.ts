import { AppError } from '../base/errors.ts';
import { isObject } from '../wire/messages.ts';
import { checkProvider, type ResourceProvider } from './resources/resource-provider.ts';
import type { Refusal } from './tools/refusals.ts';
import type { Schema } from './tools/schema.ts';
import { createToolCatalog, type ToolCatalog } from './tools/tool-catalog.ts';
import { defineTool, type ToolDefinition, type ToolHandler } from './tools/tool-definition.ts';

export interface ServerInfo {
  readonly name: string;
  readonly version: string;
  readonly title?: string;
  /** One or two lines for the model; clients may repeat them for every tool. */
  readonly instructions?: string;
  /** Further members that clients see beside the name: `websiteUrl`, `icons` or words of your own. */
  readonly extra?: Readonly<Record<string, unknown>>;
}

export interface ServerOptions {
  /**
   * Told of every throw of a handler that is not an `AppError`. The model reads its message; the stack is for you.
   * Without it nothing is written anywhere. For a throw of `resources` the method stands in the place of the tool.
   */
  readonly onError?: (error: unknown, tool: string) => void;
  /** What clients may read; without it the server has no resources. */
  readonly resources?: ResourceProvider;
  /** Declared instead of what follows from tools and resources. It changes what is said, not what is done. */
  readonly capabilities?: Readonly<Record<string, unknown>>;
  /** The text of a refused call, in place of ours; undefined leaves it at that. The result is that text and nothing else. */
  readonly refuse?: (refusal: Refusal) => string | undefined;
}

/** What is served: who we are and which tools we have. It may be served to any number of clients at once. */
export interface Server extends ServerOptions {
  readonly info: ServerInfo;
  /** The tools as clients see them. */
  readonly catalog: ToolCatalog;
  /** Defines a tool; clients that are connected hear of it. Throws for a bad name, schema or handler. */
  tool<const Input extends Schema | undefined = undefined, const Output extends Schema | undefined = undefined>(
    name: string,
    definition: ToolDefinition<Input, Output>,
    handler: ToolHandler<Input, Output>,
  ): Server;
  /** Takes a tool away; false when there is none of that name. */
  removeTool(name: string): boolean;
}

export function createServer(info: ServerInfo, options: ServerOptions = {}): Server {
  if (!isObject(info) || typeof info.name !== 'string' || typeof info.version !== 'string') {
    throw new AppError('USAGE', 'createServer needs { name, version }, both text.');
  }
  checkProvider(options.resources);
  const catalog = createToolCatalog();
  const server: Server = {
    ...options,
    info,
    catalog,
    tool(name, definition, handler) {
      catalog.add(defineTool(name, definition, handler));
      return server;
    },
    removeTool: (name) => catalog.remove(name),
  };
  return server;
}
