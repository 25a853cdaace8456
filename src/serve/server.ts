import { AppError } from '../base/errors.ts';
import { isObject } from '../wire/messages.ts';
import type { PromptResponder } from './prompts/prompt-responder.ts';
import { checkProvider, type ResourceProvider } from './resources/resource-provider.ts';
import type { Refusal } from './tools/refusals.ts';
import type { Schema } from './tools/schema.ts';
import { createToolCatalog, type ToolCatalog } from './tools/tool-catalog.ts';
import { defineTool, type ToolDefinition, type ToolHandler } from './tools/tool-definition.ts';

export interface ServerInfo {
  readonly name: string;
  readonly version: string;
  readonly title?: string;
  /** One or two lines for the model. Clients may repeat them for every tool. */
  readonly instructions?: string;
  /** Additional members of `serverInfo`: `websiteUrl`, `icons` or custom members. */
  readonly extra?: Readonly<Record<string, unknown>>;
}

export interface ServerOptions {
  /**
   * Called with every error that a handler throws, except `AppError`. The model gets the message; the stack is for you.
   * By default nothing is logged. For an error of `resources`, `tool` is the method.
   */
  readonly onError?: (error: unknown, tool: string) => void;
  /** The resources of the server. Default: none. */
  readonly resources?: ResourceProvider;
  /** The prompts of the server, which clients show as slash commands. Default: none. */
  readonly prompts?: PromptResponder;
  /**
   * Capabilities to declare instead of those derived from tools, resources and prompts. Changes only the declaration, not the
   * behavior.
   */
  readonly capabilities?: Readonly<Record<string, unknown>>;
  /** Returns the text for a rejected call, which becomes the whole result. Return undefined for the default text. */
  readonly refuse?: (refusal: Refusal) => string | undefined;
}

/** A server with its tools. It can serve any number of clients concurrently. */
export interface Server extends ServerOptions {
  readonly info: ServerInfo;
  /** The tools as clients see them. */
  readonly catalog: ToolCatalog;
  /** Defines a tool and notifies connected clients. Throws for an invalid name, schema or handler. */
  tool<const Input extends Schema | undefined = undefined, const Output extends Schema | undefined = undefined>(
    name: string,
    definition: ToolDefinition<Input, Output>,
    handler: ToolHandler<Input, Output>,
  ): Server;
  /** Removes a tool. Returns false if there is no tool of that name. */
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
