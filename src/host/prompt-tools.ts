import { AppError } from '../base/errors.ts';
import { neutralise } from '../base/text.ts';
import type { Definition } from '../schema/definition.ts';
import { isObject, RawJson } from '../wire/messages.ts';
import { type AgentTool, notAnObject, type Running, runPermitted, serialise } from './agent-tool.ts';
import type { HostServer } from './host-server.ts';
import type { AskedCall } from './permissions.ts';
import type { HostPrompt } from './prompts.ts';
import { promptName } from './tool-name.ts';

/** A prompt as a tool of the agent: only for applications that ask for it, because prompts are for people. */
export function toPromptTool(
  server: HostServer,
  prompt: HostPrompt,
  definition: Definition,
  running: Running,
): AgentTool {
  const name = promptName(prompt.server, prompt.name);
  const origin = `[MCP server ${JSON.stringify(prompt.server)}, prompt ${JSON.stringify(neutralise(prompt.name))}]`;
  return {
    name,
    description: `${origin} ${prompt.description ?? prompt.title ?? ''}`.trim(),
    parameters: {
      type: 'object',
      properties: Object.fromEntries(prompt.arguments.map((arg) => [arg.name, toProperty(arg)])),
      required: prompt.arguments.filter(({ isRequired }) => isRequired).map((arg) => arg.name),
    },
    async run(args, options) {
      const json = serialise(args);
      if (json === undefined) return notAnObject(name);
      const params = new RawJson(`{"name":${JSON.stringify(prompt.name)},"arguments":${json}}`);
      const about = { title: prompt.title, description: prompt.description, definition: definition.json };
      const asked: AskedCall = {
        ...{ server: prompt.server, identity: server.identity, kind: 'prompt', tool: prompt.name },
        ...about,
        arguments: new RawJson(json),
      };
      return runPermitted(server, { method: 'prompts/get', params, asked, options, toResult: asContent }, running);
    },
  };
}

function toProperty({ description }: HostPrompt['arguments'][number]): Readonly<Record<string, string>> {
  return description === undefined ? { type: 'string' } : { type: 'string', description };
}

/** Its messages, each with the role that it is written for. */
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
