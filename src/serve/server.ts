import { AppError } from '../base/errors.ts';
import { isObject } from '../wire/messages.ts';
import { type Changes, createChanges } from './changes.ts';
import {
  type DefinedPrompt,
  definePrompt,
  type PromptDefinition,
  type PromptHandler,
} from './prompts/prompt-definition.ts';
import {
  type DefinedResource,
  defineResource,
  defineTemplate,
  type ResourceDefinition,
  type ResourceReader,
  type ResourceTemplateDefinition,
  type ResourceTemplateReader,
} from './resources/resource-definition.ts';
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
   * By default nothing is logged. For an error of a prompt or resource, `tool` is the method.
   */
  readonly onError?: (error: unknown, tool: string) => void;
  /**
   * Capabilities to declare instead of those derived from tools, resources and prompts. Changes only the declaration, not the
   * behavior.
   */
  readonly capabilities?: Readonly<Record<string, unknown>>;
  /** Returns the text for a rejected call, which becomes the whole result. Return undefined for the default text. */
  readonly refuse?: (refusal: Refusal) => string | undefined;
}

/** A server with its tools, prompts and resources. It can serve any number of clients concurrently. */
export interface Server extends ServerOptions {
  readonly info: ServerInfo;
  /** The tools as clients see them. */
  readonly catalog: ToolCatalog;
  /** The prompts by name. Undefined until the first is defined. */
  readonly prompts: ReadonlyMap<string, DefinedPrompt> | undefined;
  /** The resources by URI, and the templates by URI template. Undefined until the first is defined. */
  readonly resources: ReadonlyMap<string, DefinedResource> | undefined;
  readonly changes: Changes;
  /** Defines a tool and notifies connected clients. Throws for an invalid name, schema or handler. */
  tool<const Input extends Schema | undefined = undefined, const Output extends Schema | undefined = undefined>(
    name: string,
    definition: ToolDefinition<Input, Output>,
    handler: ToolHandler<Input, Output>,
  ): Server;
  /** Removes a tool. Returns false if there is no tool of that name. */
  removeTool(name: string): boolean;
  /** Defines a prompt, which clients show as a slash command, and notifies connected clients. */
  prompt<const Input extends Schema | undefined = undefined>(
    name: string,
    definition: PromptDefinition<Input>,
    handler: PromptHandler<Input>,
  ): Server;
  /** Removes a prompt. Returns false if there is no prompt of that name. */
  removePrompt(name: string): boolean;
  /** Defines a resource and notifies connected clients. */
  resource(uri: string, definition: ResourceDefinition, read: ResourceReader): Server;
  /** Defines resources whose URIs follow a template, such as `note://{id}`, and notifies connected clients. */
  resourceTemplate<const Template extends string>(
    uriTemplate: Template,
    definition: ResourceTemplateDefinition<Template>,
    read: ResourceTemplateReader<Template>,
  ): Server;
  /** Removes a resource or a template. Returns false if there is none. */
  removeResource(uri: string): boolean;
  /** Notifies clients that are subscribed to this URI that its content has changed. */
  resourceUpdated(uri: string): void;
  /** Notifies clients that the `list` of a template returns other resources now. */
  resourcesChanged(): void;
}

export function createServer(info: ServerInfo, options: ServerOptions = {}): Server {
  checkOptions(info, options);
  const changes = createChanges();
  const catalog = createToolCatalog(changes.toolsChanged);
  let prompts: Map<string, DefinedPrompt> | undefined;
  let resources: Map<string, DefinedResource> | undefined;

  const addResource = (uri: string, resource: DefinedResource) => {
    resources = addOnce(resources, uri, resource, 'resource');
    changes.resourcesChanged();
    return server;
  };

  const server: Server = {
    ...options,
    info,
    catalog,
    changes,
    get prompts() {
      return prompts;
    },
    get resources() {
      return resources;
    },
    tool(name, definition, handler) {
      catalog.add(defineTool(name, definition, handler));
      return server;
    },
    removeTool: (name) => catalog.remove(name),
    prompt(name, definition, handler) {
      prompts = addOnce(prompts, name, definePrompt(name, definition, handler), 'prompt');
      changes.promptsChanged();
      return server;
    },
    removePrompt(name) {
      const isRemoved = prompts?.delete(name) ?? false;
      if (isRemoved) changes.promptsChanged();
      return isRemoved;
    },
    resource: (uri, definition, read) => addResource(uri, defineResource(uri, definition, read)),
    resourceTemplate: (template, definition, read) => addResource(template, defineTemplate(template, definition, read)),
    removeResource(uri) {
      const isRemoved = resources?.delete(uri) ?? false;
      if (isRemoved) changes.resourcesChanged();
      return isRemoved;
    },
    resourceUpdated: changes.resourceUpdated,
    resourcesChanged: changes.resourcesChanged,
  };
  return server;
}

/** Throws for mistakes that the types would catch, for callers in JavaScript. */
function checkOptions(info: unknown, options: object): void {
  if (!isObject(info) || typeof info['name'] !== 'string' || typeof info['version'] !== 'string')
    throw new AppError('USAGE', 'createServer needs { name, version }, both text.');
  for (const [option, method] of [
    ['prompts', 'prompt'],
    ['resources', 'resource'],
    ['tools', 'tool'],
  ])
    if (option !== undefined && option in options)
      throw new AppError('USAGE', `createServer has no option "${option}": call server.${method}(…) for each.`);
}

function addOnce<Entry>(map = new Map<string, Entry>(), key: string, entry: Entry, kind: string): Map<string, Entry> {
  if (map.has(key)) throw new AppError('TOOL_INVALID', `The ${kind} ${JSON.stringify(key)} is defined twice.`);
  return map.set(key, entry);
}
