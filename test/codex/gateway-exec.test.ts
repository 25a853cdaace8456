import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { fixture } from '../fixtures/paths.ts';
import {
  type CommandLine,
  gatewayFor,
  longTimeoutEnv,
  officialServer,
  ownServer,
  switchboard,
} from '../interop/programs.ts';
import { verifies } from '../verifies.ts';
import { runCodexExec } from './exec.ts';
import { type CodexHome, createCodexHome } from './home.ts';
import { isObject, type JsonObject, objectsOf } from './json.ts';
import { type Model, openModel } from './model.ts';
import { toolOutputs } from './model-request.ts';
import { script } from './script.ts';
import type { Step } from './steps.ts';

const approved = { default_tools_approval_mode: 'approve' };
/** A name that Codex does not know, so it shows all tools to the model at once. */
const UNKNOWN_MODEL = 'a-name-codex-does-not-know';

describe('codex exec', () => {
  verifies(
    'gateway:names:in-codex',
    'lists and calls the tools of many servers as mcp__<gateway>__server__tool',
    async () => {
      using gateway = gatewayFor({ behaved: fixture('well-behaved'), everything: officialServer('everything') });
      await using model = await openModel();
      await using home = await createCodexHome({
        modelUrl: model.url,
        model: UNKNOWN_MODEL,
        mcpServers: { gw: { ...settings(gateway), ...approved } },
      });
      const items = await run(home, [
        { mcp: { server: 'gw', tool: 'behaved__add', arguments: { a: 1, b: 2 } } },
        { mcp: { server: 'gw', tool: 'everything__echo', arguments: { message: 'hi' } } },
        { message: 'done' },
      ]);

      const shown = model.requests[0]?.tools.find(({ name }) => name === 'mcp__gw');
      const names = objectsOf(shown?.['tools']).map(({ name }) => name);
      expect(names).toEqual(expect.arrayContaining(['behaved__add', 'behaved__echo', 'everything__get_sum']));
      expect(items).toEqual([
        {
          type: 'mcp_tool_call',
          server: 'gw',
          tool: 'behaved__add',
          arguments: { a: 1, b: 2 },
          result: { content: [{ type: 'text', text: '3' }], structured_content: { sum: 3 } },
          error: null,
          status: 'completed',
        },
        {
          type: 'mcp_tool_call',
          server: 'gw',
          tool: 'everything__echo',
          arguments: { message: 'hi' },
          result: { content: [{ type: 'text', text: 'Echo: hi' }], structured_content: null },
          error: null,
          status: 'completed',
        },
      ]);
      expect(lastOutputs(model)).toEqual([expect.stringContaining('{"sum":3}'), expect.stringContaining('Echo: hi')]);
    },
  );

  for (const name of ['gpt-5.5', 'gpt-6.1-sol'])
    verifies('gateway:names:in-codex', `calls a tool by that name through the tools of ${name}`, async () => {
      using gateway = gatewayFor({ behaved: fixture('well-behaved') });
      await using model = await openModel();
      const mcpServers = { gw: settings(gateway) };
      await using home = await createCodexHome({ modelUrl: model.url, model: name, mcpServers });
      // No approval is given, so the read-only hint has arrived.
      await run(home, [
        { mcp: { server: 'gw', tool: 'behaved__add', arguments: { a: 20, b: 3 } } },
        { message: 'done' },
      ]);
      expect(lastOutputs(model)).toEqual([expect.stringMatching(/\{\\?"sum\\?":23\}/)]);
    });

  verifies(
    'gateway:cli:codex-single',
    'calls the tools of a single server by their own names through `switchboard -- <command>`',
    async () => {
      const { command, args } = fixture('well-behaved');
      await using model = await openModel();
      await using home = await createCodexHome({
        modelUrl: model.url,
        model: UNKNOWN_MODEL,
        mcpServers: { speaker: { ...settings(switchboard('--', command, ...args)), ...approved } },
      });
      await run(home, [
        { mcp: { server: 'speaker', tool: 'echo', arguments: { text: 'hi there' } } },
        { message: 'done' },
      ]);
      const shown = model.requests[0]?.tools.find(({ name }) => name === 'mcp__speaker');
      expect(objectsOf(shown?.['tools']).map(({ name }) => name)).toEqual(['add', 'echo', 'slow']);
      expect(lastOutputs(model)).toEqual([expect.stringContaining('hi there')]);
    },
  );

  test('reports an error to the model in one line, without a backtrace', async () => {
    using gateway = gatewayFor({ refusing: ownServer('refuses-calls'), dying: fixture('dies-mid-call') });
    await using model = await openModel();
    const mcpServers = { gw: { ...settings(gateway), ...approved } };
    await using home = await createCodexHome({ modelUrl: model.url, model: UNKNOWN_MODEL, mcpServers });
    const items = await run(home, [
      { mcp: { server: 'gw', tool: 'refusing__refuse' } },
      { mcp: { server: 'gw', tool: 'dying__die' } },
      { mcp: { server: 'gw', tool: 'dying__echo', arguments: { text: 'alive again' } } },
      { message: 'done' },
    ]);

    const [refused = '', died = '', alive = ''] = lastOutputs(model);
    expect(linesOf(refused)).toEqual(['Server error: the disk is full; delete something']);
    expect(linesOf(died)).toEqual([
      expect.stringMatching(/^Server error: dying is down: .*Run: switchboard mcp test --config \S+ dying$/),
    ]);
    expect(alive).toContain('alive again');
    expect(items).toMatchObject([{ status: 'failed' }, { status: 'failed' }, { status: 'completed' }]);
  });

  test('has the tools of the working servers if others fail, and can read why', async () => {
    using gateway = gatewayFor({
      missing: { command: join('/', 'no', 'such', 'program'), args: [] },
      dying: fixture('dies-at-start'),
      hanging: fixture('hangs-at-initialize'),
      behaved: fixture('well-behaved'),
    });
    await using model = await openModel();
    const env = { ...longTimeoutEnv, WRAPPER_TOOLS_LIST_TIMEOUT_MS: '6000' };
    const mcpServers = { gw: { ...settings(gateway), ...approved, env, startup_timeout_sec: 30 } };
    await using home = await createCodexHome({ modelUrl: model.url, model: UNKNOWN_MODEL, mcpServers });
    await run(home, [
      { mcp: { server: 'gw', tool: 'behaved__echo', arguments: { text: 'I am well' } } },
      { tool: { name: 'read_mcp_resource', arguments: { server: 'gw', uri: 'switchboard://status' } } },
      { message: 'done' },
    ]);

    const [echoed = '', status = ''] = lastOutputs(model);
    expect(echoed).toContain('I am well');
    expect(statesIn(status)).toEqual([
      ['missing', 'error', expect.stringContaining('Spawn error: command not found: /no/such/program')],
      // It is restarted periodically, perhaps at this moment.
      expect.arrayContaining(['dying', expect.stringMatching(/^(error|connecting)$/)]),
      ['hanging', 'connecting', expect.stringMatching(/^still starting after \d+ s$/)],
      ['behaved', 'ready', undefined],
    ]);
  });
});

/** Runs the steps to their end and returns the results of the calls. */
async function run(home: CodexHome, steps: readonly Step[]): Promise<readonly JsonObject[]> {
  const { exitCode, events, stderr } = await runCodexExec({ home, prompt: script(steps), timeoutMs: 50_000 });
  expect(exitCode, `${stderr}\n${JSON.stringify(events)}`).toBe(0);
  return events
    .filter(({ type }) => type === 'item.completed')
    .map(({ item }) => item)
    .filter(isObject)
    .filter(({ type }) => type === 'mcp_tool_call')
    .map(({ id: _, ...item }) => item);
}

/** As Codex's settings write it. */
function settings({ command, args }: CommandLine) {
  return { command, args, env: longTimeoutEnv };
}

function lastOutputs(model: Model): readonly string[] {
  const last = model.requests.at(-1);
  return last === undefined ? [] : toolOutputs(last);
}

/** Codex prepends the duration of a call. */
function linesOf(output: string): readonly string[] {
  return output.replace(/^Wall time: .*\nOutput:/, '').split('\n');
}

/** The id, state and reason of each server in the status resource. */
function statesIn(output: string): readonly unknown[] {
  const { contents } = JSON.parse(output) as { contents: readonly { text: string }[] };
  const { servers } = JSON.parse(contents[0]?.text ?? '{}') as { servers: readonly JsonObject[] };
  return servers.map(({ id, state, reason }) => [id, state, reason]);
}
