import { VERSION } from '../base/version.ts';
import { negotiate } from '../serve/versions.ts';
import { isObject, resultText } from '../wire/messages.ts';
import type { Client } from './client.ts';

/** What `initialize` tells us about a client, kept with it. */
export function meetClient(client: Client, params: unknown): void {
  const { capabilities, clientInfo } = isObject(params) ? params : {};
  client.capabilities = isObject(capabilities) ? capabilities : {};
  client.name = isObject(clientInfo) && typeof clientInfo['name'] === 'string' ? clientInfo['name'] : '';
  client.errorStyle = { ...client.errorStyle, asToolResult: /^codex\b/i.test(client.name) };
}

/** One server that is not ready in time: the client can go on, and is told later what there is. */
export function minimalAnswer(idText: string, params: unknown): string {
  const changing = { listChanged: true };
  return answer(idText, params, { tools: changing, resources: changing, prompts: changing });
}

/** Many servers, of which none has been started yet: everything that one of them may turn out to have. */
export function aggregateAnswer(idText: string, params: unknown, instructions: string): string {
  const changing = { listChanged: true };
  const capabilities = {
    tools: changing,
    resources: { subscribe: true, listChanged: true },
    prompts: changing,
    completions: {},
    logging: {},
  };
  return answer(idText, params, capabilities, instructions);
}

function answer(idText: string, params: unknown, capabilities: unknown, instructions = ''): string {
  return resultText(idText, {
    protocolVersion: negotiate(isObject(params) ? params['protocolVersion'] : undefined),
    capabilities,
    serverInfo: { name: 'switchboard', title: 'Switchboard', version: VERSION },
    ...(instructions === '' ? {} : { instructions }),
  });
}
