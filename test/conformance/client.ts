// The client that the conformance suite judges: our host, which does with every server the same, as a curious person
// would: connects, lists what is there, calls every tool, reads every resource, gets every prompt. Started by the suite
// with the address as its last argument; run.mjs bundles it first.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ConnectedServer, connectServer } from '../../src/host/connect.ts';
import { answerQuestion, sampleFor } from './samples.ts';
import { readScenario, type Scenario, type ToolCall } from './scenario.ts';
import { signInAtOnce } from './sign-in.ts';

/** A tool, a resource or a prompt, as far as we look into it. */
interface Item {
  readonly name: string;
  readonly uri?: string;
  readonly inputSchema?: unknown;
}

/** The suite ends the shell that it started us with, not us. */
const LIFETIME_MS = 45_000;
const MAX_PAGES = 10;

const home = mkdtempSync(join(tmpdir(), 'switchboard-client-'));
setTimeout(() => process.exit(1), LIFETIME_MS).unref();
process.once('exit', () => rmSync(home, { recursive: true, force: true }));
try {
  await visit(readScenario(process.argv.at(-1) ?? '', process.env));
} catch (error) {
  complain('connect', error);
}

async function visit({ entry, toolCalls }: Scenario): Promise<void> {
  const server = await connectServer({
    entry,
    surroundings: { cwd: home, home, env: { ...process.env, SWITCHBOARD_HOME: home }, platform: process.platform },
    capabilities: { elicitation: { form: {} }, sampling: {}, roots: {} },
    onRequest: answerQuestion,
    signIn: signInAtOnce,
  });
  try {
    const tools = await list(server, 'tools');
    for (const { name, arguments: args } of toolCalls ?? tools.map((tool) => toCall(tool, tools))) {
      await ask(server, 'tools/call', { name, arguments: args });
    }
    for (const { uri } of await list(server, 'resources')) await ask(server, 'resources/read', { uri });
    for (const { name } of await list(server, 'prompts')) await ask(server, 'prompts/get', { name });
  } finally {
    await server.close();
  }
}

async function list(server: ConnectedServer, kind: 'tools' | 'resources' | 'prompts'): Promise<readonly Item[]> {
  if (server.facts.capabilities[kind] === undefined) return [];
  const items: Item[] = [];
  let cursor: unknown;
  for (let page = 0; page < MAX_PAGES; page++) {
    const result = Object(await server.request(`${kind}/list`, cursor === undefined ? {} : { cursor }));
    items.push(...(result[kind] ?? []));
    cursor = result.nextCursor;
    if (cursor === undefined) break;
  }
  return items;
}

function toCall(tool: Item, tools: readonly Item[]): ToolCall {
  // This one wants to see the schema of its neighbour, as it arrived.
  if (tool.name === 'json_schema_echo') {
    const neighbour = tools.find(({ name }) => name === 'json_schema_2020_12_tool');
    return { name: tool.name, arguments: { schema: neighbour?.inputSchema } };
  }
  return { name: tool.name, arguments: sampleFor(tool.inputSchema) };
}

/** A request that fails is no reason to leave the rest undone. */
async function ask(server: ConnectedServer, method: string, params: Record<string, unknown>): Promise<void> {
  try {
    await server.request(method, params);
  } catch (error) {
    complain(method, error);
  }
}

function complain(what: string, error: unknown): void {
  process.stderr.write(`${what}: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
