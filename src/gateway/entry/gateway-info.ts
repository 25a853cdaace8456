import { VERSION } from '../../base/version.ts';
import { isObject, resultText } from '../../wire/messages.ts';
import { negotiateVersion } from '../../wire/protocol-versions.ts';

/** The answer to `initialize` for many servers, of which none has been started yet: all that one of them may have. */
export function initializeResponse(idText: string, params: unknown, instructions: string): string {
  const changing = { listChanged: true };
  const capabilities = {
    tools: changing,
    resources: { subscribe: true, listChanged: true },
    prompts: changing,
    completions: {},
    logging: {},
  };
  return writeInitializeResponse(idText, params, { capabilities, instructions });
}

/** For one server that is not ready in time: the client can go on, and is told later what there is. */
export function minimalInitializeResponse(idText: string, params: unknown): string {
  const changing = { listChanged: true };
  return writeInitializeResponse(idText, params, {
    capabilities: { tools: changing, resources: changing, prompts: changing },
    instructions: '',
  });
}

interface GatewayInfo {
  readonly capabilities: unknown;
  readonly instructions: string;
}

function writeInitializeResponse(idText: string, params: unknown, { capabilities, instructions }: GatewayInfo): string {
  return resultText(idText, {
    protocolVersion: negotiateVersion(isObject(params) ? params['protocolVersion'] : undefined),
    capabilities,
    serverInfo: { name: 'switchboard', title: 'Switchboard', version: VERSION },
    ...(instructions === '' ? {} : { instructions }),
  });
}

/** What a client is told when nothing is known of the servers yet. */
export function defaultInstructions({ hasPrefix }: { readonly hasPrefix: boolean }): string {
  const names = hasPrefix
    ? 'named <server>__<tool>'
    : 'under their own names; of two tools with the same name, the one of the first server is offered';
  return `Tools of several MCP servers, ${names}. The resource switchboard://status tells how each server is.`;
}
