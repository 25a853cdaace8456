import type { ToolContext } from './context.ts';
import type { Schema } from './schema.ts';
import { createToolCatalog, registerTool, type ToolCatalog, type ToolDefinition, type ToolHandler } from './tools.ts';

export interface ServerInfo {
  readonly name: string;
  readonly version: string;
  readonly title?: string;
  /** One or two lines for the model; clients may repeat them for every tool. */
  readonly instructions?: string;
}

/** What is served: who we are and which tools we have. It may be served to any number of clients at once. */
export interface Server {
  readonly info: ServerInfo;
  /** The tools as clients see them. */
  readonly catalog: ToolCatalog;
  /** Defines a tool; clients that are connected hear of it. Throws for a bad name or schema. */
  tool<const Input extends Schema | undefined = undefined, const Output extends Schema | undefined = undefined>(
    name: string,
    definition: ToolDefinition<Input, Output>,
    handler: ToolHandler<Input, Output>,
  ): Server;
  /** Takes a tool away; false when there is none of that name. */
  removeTool(name: string): boolean;
}

export function createServer(info: ServerInfo): Server {
  const catalog = createToolCatalog();
  const server: Server = {
    info,
    catalog,
    tool(name, definition, handler) {
      catalog.add(registerTool(name, definition, handler as (args: never, context: ToolContext) => unknown));
      return server;
    },
    removeTool: (name) => catalog.remove(name),
  };
  return server;
}
