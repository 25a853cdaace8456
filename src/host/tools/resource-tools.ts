import { AppError, toAppError } from '../../base/errors.ts';
import { isObject } from '../../wire/messages.ts';
import type { PermissionRequest } from '../permissions/permission-options.ts';
import { errorMessage, type ToolMessage, toToolMessage } from '../results/tool-message.ts';
import type { HostResource, HostResources, ListOptions } from '../servers/resources.ts';
import { type AgentTool, invalidRunOption, notAnObjectMessage, runPermitted, type ToolRuntime } from './agent-tool.ts';

/** Creates three agent tools for the resources of all servers. */
export function createResourceTools(resources: HostResources, runtime: ToolRuntime): readonly AgentTool[] {
  const { storedResults, maxResultBytes } = runtime;
  const toMessage = async (listed: Promise<readonly HostResource[]>): Promise<ToolMessage> => {
    const limit = maxResultBytes === undefined ? {} : { maxTextBytes: maxResultBytes };
    return toToolMessage({ structuredContent: { items: await listed } }, { ...limit, store: storedResults.store });
  };
  return [
    listTool('mcp_resources_list', 'Lists the resources of all MCP servers, or of one.', (options) =>
      toMessage(resources.list(options)),
    ),
    listTool('mcp_resource_templates_list', 'Lists the resource templates of all MCP servers, or of one.', (options) =>
      toMessage(resources.templates(options)),
    ),
    {
      name: 'mcp_resource_read',
      description: 'Reads a resource of an MCP server by its URI. Give the server when several could have it.',
      parameters: {
        type: 'object',
        properties: { uri: { type: 'string' }, server: SERVER },
        required: ['uri'],
        additionalProperties: false,
      },
      async run(args, options) {
        const fault = invalidRunOption(options);
        if (fault !== undefined) return errorMessage(new AppError('BAD_ARGUMENTS', fault));
        if (!isObject(args)) return notAnObjectMessage('mcp_resource_read');
        try {
          const uri = text(args, 'uri');
          if (uri === undefined) throw new AppError('BAD_ARGUMENTS', 'uri is missing: the URI of a resource.');
          const server = await resources.find(uri, { server: text(args, 'server'), signal: options?.signal });
          const permissionRequest: PermissionRequest = {
            ...{ server: server.upstream.id, identity: server.identity, kind: 'resource', tool: uri },
            definition: 'a resource',
            arguments: { uri },
          };
          const request = {
            method: 'resources/read',
            params: { uri },
            permissionRequest,
            options,
            toResult: asContent,
          };
          return await runPermitted(server, request, runtime);
        } catch (error) {
          return errorMessage(toAppError(error));
        }
      },
    },
  ];
}

const SERVER = { type: 'string', description: 'The id of the MCP server.' };

function listTool(name: string, description: string, list: (options: ListOptions) => Promise<ToolMessage>): AgentTool {
  return {
    name,
    description,
    parameters: { type: 'object', properties: { server: SERVER }, additionalProperties: false },
    async run(args = {}, options) {
      const fault = invalidRunOption(options);
      if (fault !== undefined) return errorMessage(new AppError('BAD_ARGUMENTS', fault));
      if (!isObject(args)) return notAnObjectMessage(name);
      try {
        return await list({ server: text(args, 'server'), signal: options?.signal });
      } catch (error) {
        return errorMessage(toAppError(error));
      }
    },
  };
}

function text(args: Readonly<Record<string, unknown>>, key: string): string | undefined {
  const value = args[key];
  if (value === undefined || typeof value === 'string') return value;
  throw new AppError('BAD_ARGUMENTS', `${key} must be a string.`);
}

/** Converts the contents that were read into the content of a result. */
function asContent(result: unknown): unknown {
  const contents = isObject(result) ? result['contents'] : undefined;
  if (!Array.isArray(contents)) throw new AppError('BAD_ANSWER', 'the server answered without contents.');
  return { content: contents.map((resource) => ({ type: 'resource', resource })) };
}
