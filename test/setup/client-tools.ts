import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { ClientCapabilities } from '@modelcontextprotocol/sdk/types.js';
import { parse as parseToml } from 'smol-toml';
import { blankComments } from '../../src/config/json/comments.ts';
import { isObject } from '../../src/wire/messages.ts';

/** The environment of a client. */
type Env = Readonly<Record<string, string>>;

/** A server as a client starts it. */
export interface ClientServer {
  readonly name: string;
  readonly entry: Readonly<Record<string, unknown>>;
}

/** Returns the servers that a client starts from the text of its config, with its variables replaced. */
export function clientServers(file: string, text: string, env: Env): readonly ClientServer[] {
  const replaced = text.replace(/\$\{env:(\w+)\}|\$([A-Z]\w+)/g, (_, one, other) => env[one ?? other] ?? '');
  const content: unknown = file.endsWith('.toml') ? parseToml(replaced) : JSON.parse(blankComments(replaced));
  if (!isObject(content)) return [];
  const listed = content['mcp_servers'] ?? content['mcpServers'] ?? content['servers'];
  const { excluded } = isObject(content['mcp']) ? content['mcp'] : {};
  const isOff = (name: string) => Array.isArray(excluded) && excluded.includes(name);
  return Object.entries(isObject(listed) ? listed : {}).flatMap(([name, entry]) =>
    isObject(entry) && entry['enabled'] !== false && !isOff(name) ? [{ name, entry }] : [],
  );
}

/** How a client introduces itself. Some servers list more tools to a client with more capabilities. */
export interface Introduction {
  readonly info: { readonly name: string; readonly version: string };
  readonly capabilities: ClientCapabilities;
}

/** What Codex 0.166 sends. */
export const CODEX: Introduction = {
  info: { name: 'codex-mcp-client', version: '0.166.0' },
  capabilities: { elicitation: { form: {}, url: {} } },
};

const PLAIN: Introduction = { info: { name: 'quick-start', version: '1' }, capabilities: {} };

/** Lists the tools of a server with the official SDK, without Switchboard. Undefined if it does not work. */
export async function listTools(
  { entry }: ClientServer,
  env: Env,
  { info, capabilities }: Introduction = PLAIN,
): Promise<readonly string[] | undefined> {
  const client = new Client(info, { capabilities });
  try {
    await client.connect(transportOf(entry, env));
    const names: string[] = [];
    for (let cursor: string | undefined, isFirst = true; isFirst || cursor !== undefined; isFirst = false) {
      const page = await client.listTools(cursor === undefined ? {} : { cursor });
      names.push(...page.tools.map(({ name }) => name));
      cursor = page.nextCursor;
    }
    return names;
  } catch {
    return undefined;
  } finally {
    await client.close();
  }
}

function transportOf(entry: ClientServer['entry'], env: Env): StdioClientTransport | StreamableHTTPClientTransport {
  const url = entry['url'] ?? entry['httpUrl'];
  const { command, args } = entry;
  const headers = isObject(entry['headers'])
    ? Object.entries(entry['headers']).map(([key, value]) => [key, String(value)] as [string, string])
    : [];
  if (typeof url === 'string') return new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } });
  const own = isObject(entry['env']) ? Object.entries(entry['env']).map(([key, value]) => [key, String(value)]) : [];
  return new StdioClientTransport({
    command: String(command),
    args: Array.isArray(args) ? args.map(String) : [],
    env: { ...env, ...Object.fromEntries(own) },
    stderr: 'ignore',
  });
}
