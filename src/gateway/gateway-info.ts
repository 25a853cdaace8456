import { SWITCHBOARD_INFO } from '../base/version.ts';
import { initializeResult } from '../serve/initialize-result.ts';

const CHANGING = { listChanged: true };

/** Every capability that a server may have, because none has been started when `initialize` is answered. */
const AGGREGATE_CAPABILITIES = {
  tools: CHANGING,
  resources: { subscribe: true, listChanged: true },
  prompts: CHANGING,
  completions: {},
  logging: {},
};

/** The capabilities of a single server that is not ready in time. `list_changed` notifications follow once it is ready. */
const MINIMAL_CAPABILITIES = { tools: CHANGING, resources: CHANGING, prompts: CHANGING };

/** What the `initialize` result of an aggregate gateway says about its servers. */
export interface AggregateDescription {
  readonly instructions: string;
  /** Those of servers that the gateway does not have by itself. */
  readonly capabilities?: Readonly<Record<string, unknown>> | undefined;
}

/** Returns the `initialize` result of an aggregate gateway. */
export function aggregateInitializeResult(params: unknown, description: AggregateDescription): unknown {
  const { instructions } = description;
  const capabilities = { ...AGGREGATE_CAPABILITIES, ...description.capabilities };
  return initializeResult(
    { info: instructions === '' ? SWITCHBOARD_INFO : { ...SWITCHBOARD_INFO, instructions }, capabilities },
    params,
  );
}

/** Returns the `initialize` result for a single server that is not ready in time. */
export function minimalInitializeResult(params: unknown): unknown {
  return initializeResult({ info: SWITCHBOARD_INFO, capabilities: MINIMAL_CAPABILITIES }, params);
}

/** Returns the instructions to use while nothing is known about the servers. */
export function defaultInstructions({ hasPrefix }: { readonly hasPrefix: boolean }): string {
  const names = hasPrefix
    ? 'named <server>__<tool>'
    : 'under their own names; of two tools with the same name, the one of the first server is offered';
  return `Tools of several MCP servers, ${names}. The resource switchboard://status shows the state of each server.`;
}
