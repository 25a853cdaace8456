import type { OAuthSettings, ServerEntry } from '../../src/config/server-entry.ts';

export interface Scenario {
  readonly entry: ServerEntry;
  /** Calls that the scenario asks for; undefined: every tool once. */
  readonly toolCalls: readonly ToolCall[] | undefined;
}

export interface ToolCall {
  readonly name: string;
  readonly arguments: unknown;
}

interface Context {
  readonly client_id?: string;
  readonly client_secret?: string;
  readonly toolCalls?: readonly ToolCall[];
}

/** What the suite tells a client: the address as an argument, the rest in the environment. */
export function readScenario(url: string, env: Readonly<Record<string, string | undefined>>): Scenario {
  const context: Context = JSON.parse(env['MCP_CONFORMANCE_CONTEXT'] ?? '{}');
  const entry: ServerEntry = {
    id: 'conformance',
    origin: { layer: 'command-line', file: '', line: 0 },
    transport: {
      kind: 'http',
      url,
      headers: {},
      headerEnv: {},
      bearerTokenEnv: undefined,
      oauth: toSettings(context),
      isSse: false,
    },
    tools: { allow: undefined, deny: [] },
    startupTimeoutMs: undefined,
    requestTimeoutMs: undefined,
    start: 'eager',
    pin: false,
    restart: 'overlap',
    expandsVariables: false,
  };
  return { entry, toolCalls: context.toolCalls };
}

/** As if somebody had registered us beforehand and written that into the config. */
function toSettings({ client_id: clientId, client_secret: clientSecret }: Context): OAuthSettings | undefined {
  if (clientId === undefined) return undefined;
  return {
    authorizationUrl: undefined,
    tokenUrl: undefined,
    registrationUrl: undefined,
    clientId,
    clientSecret,
    clientSecretEnv: undefined,
    scope: undefined,
  };
}
