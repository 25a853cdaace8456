import { SWITCHBOARD_INFO } from '../../base/version.ts';
import { isObject, resultText } from '../../wire/messages.ts';
import { negotiateVersion } from '../../wire/protocol-versions.ts';

/**
 * Writes the `initialize` response of an aggregate gateway. It declares every capability that a server may have,
 * because none has been started yet.
 */
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

/**
 * Writes the `initialize` response for a single server that is not ready in time. `list_changed` notifications follow
 * once it is ready.
 */
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
    serverInfo: SWITCHBOARD_INFO,
    ...(instructions === '' ? {} : { instructions }),
  });
}

/** Returns the instructions to use while nothing is known about the servers. */
export function defaultInstructions({ hasPrefix }: { readonly hasPrefix: boolean }): string {
  const names = hasPrefix
    ? 'named <server>__<tool>'
    : 'under their own names; of two tools with the same name, the one of the first server is offered';
  return `Tools of several MCP servers, ${names}. The resource switchboard://status tells how each server is.`;
}
