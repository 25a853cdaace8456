export interface Scenario {
  /** The content of a config file with the one server that the scenario is about. */
  readonly config: Readonly<Record<string, unknown>>;
  /** Calls that the scenario requests. Undefined: every tool once. */
  readonly toolCalls: readonly ToolCall[] | undefined;
}

interface ToolCall {
  readonly name: string;
  readonly arguments: unknown;
}

interface Context {
  readonly client_id?: string;
  readonly client_secret?: string;
  readonly toolCalls?: readonly ToolCall[];
}

/** Reads the suite's input: the URL is an argument, the rest is in the environment. */
export function readScenario(url: string, env: Readonly<Record<string, string | undefined>>): Scenario {
  const context: Context = JSON.parse(env['MCP_CONFORMANCE_CONTEXT'] ?? '{}');
  const server = { transport: 'http', url, ...registered(context) };
  return { config: { version: 1, mcp: { servers: { conformance: server } } }, toolCalls: context.toolCalls };
}

/** Simulates a preregistered client in the config. */
function registered({ client_id, client_secret }: Context): Readonly<Record<string, unknown>> {
  if (client_id === undefined) return {};
  return { oauth: { client_id, ...(client_secret === undefined ? {} : { client_secret }) } };
}
