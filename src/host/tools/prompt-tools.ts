import { AppError } from '../../base/errors.ts';
import type { Definition } from '../../schema/definitions/definition.ts';
import { isObject, RawJson } from '../../wire/messages.ts';
import type { PermissionRequest } from '../permissions/permission-options.ts';
import { errorMessage } from '../results/tool-message.ts';
import type { HostServer } from '../servers/host-server.ts';
import { type HostPrompt, toPrompt } from '../servers/prompts.ts';
import { adaptTool } from './adapt-tool.ts';
import {
  type AgentTool,
  notAnObjectMessage,
  runPermitted,
  serialize,
  type ToolRuntime,
  toolGoneError,
} from './agent-tool.ts';

/** Converts a prompt into a tool of the agent. Opt-in, because prompts are for people. */
export function toPromptTool(server: HostServer, definition: Definition, runtime: ToolRuntime): AgentTool {
  const { id } = server.upstream;
  const prompt = toPrompt(id, definition.key, definition.json);
  const { name, description, parameters, remarks } = adaptTool(id, asTool(prompt, definition), { kind: 'prompt' });
  return {
    ...{ name, description, parameters, remarks },
    async run(args, options) {
      // An application may keep this tool for long: the decision is about the current prompt.
      const current = server.catalog.list('prompts').items.find(({ key }) => key === definition.key);
      if (current === undefined) return errorMessage(toolGoneError(server, definition.key));
      if (current.json !== definition.json) return toPromptTool(server, current, runtime).run(args, options);
      const json = serialize(args);
      if (json === undefined) return notAnObjectMessage(name);
      const params = new RawJson(`{"name":${JSON.stringify(prompt.name)},"arguments":${json}}`);
      const permissionRequest: PermissionRequest = {
        ...{ server: id, identity: server.identity, kind: 'prompt', tool: prompt.name },
        ...{ title: prompt.title, description: prompt.description },
        // Never equal to a tool's definition: a permission for one must not cover the other.
        definition: JSON.stringify({ prompt: definition.json }),
        arguments: new RawJson(json),
      };
      return runPermitted(
        server,
        { method: 'prompts/get', params, permissionRequest, options, toResult: asContent },
        runtime,
      );
    },
  };
}

/** Gives the prompt a tool's form, so that the same limits and neutralization apply. */
function asTool(prompt: HostPrompt, { key, keySpans, repairs, hints, kind }: Definition): Definition {
  const { title, description, arguments: args } = prompt;
  const inputSchema = {
    type: 'object',
    properties: Object.fromEntries(args.map((arg) => [arg.name, toProperty(arg)])),
    required: args.filter(({ isRequired }) => isRequired).map((arg) => arg.name),
  };
  return {
    kind,
    key,
    keySpans: keySpans,
    repairs,
    hints,
    json: JSON.stringify({ name: key, title, description, inputSchema }),
  };
}

function toProperty({ description }: HostPrompt['arguments'][number]): Readonly<Record<string, string>> {
  return description === undefined ? { type: 'string' } : { type: 'string', description };
}

/** Returns the messages, each preceded by its role. */
function asContent(result: unknown): unknown {
  const messages: unknown = isObject(result) ? result['messages'] : undefined;
  if (!Array.isArray(messages)) throw new AppError('BAD_ANSWER', 'the server answered without messages.');
  return {
    content: messages
      .filter(isObject)
      .flatMap(({ role, content }) => [
        { type: 'text', text: `${String(role)}:` },
        ...(Array.isArray(content) ? content : [content]),
      ]),
  };
}
