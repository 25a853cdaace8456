export interface Scenario {
  /** The content of a config file with the one server that the scenario is about. */
  readonly config: Readonly<Record<string, unknown>>;
  /** Calls that the scenario asks for; undefined: every tool once. */
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

/** What the suite tells a client: the address as an argument, the rest in the environment. */
export function readScenario(url: string, env: Readonly<Record<string, string | undefined>>): Scenario {
  const context: Context = JSON.parse(env['MCP_CONFORMANCE_CONTEXT'] ?? '{}');
  const server = { transport: 'http', url, ...registered(context) };
  return { config: { version: 1, mcp: { servers: { conformance: server } } }, toolCalls: context.toolCalls };
}

/** As if somebody had registered us beforehand and written that into the config. */
function registered({ client_id, client_secret }: Context): Readonly<Record<string, unknown>> {
  if (client_id === undefined) return {};
  return { oauth: { client_id, ...(client_secret === undefined ? {} : { client_secret }) } };
}
