import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { type AppServer, openAppServer } from '../codex/app-server.ts';
import { createCodexHome } from '../codex/home.ts';
import { isObject, objectsOf } from '../codex/json.ts';
import { type Model, openModel } from '../codex/model.ts';
import { toolOutputs } from '../codex/model-request.ts';
import { runTurn, startThread } from '../codex/thread.ts';
import { trackProcesses } from '../processes.ts';
import { openEverything } from './everything-over-http.ts';
import { longTimeoutEnv, officialServer, switchboard } from './programs.ts';

const processes = trackProcesses();
const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

/** A name that Codex does not know, so it shows all tools to the model at once. */
const UNKNOWN_MODEL = 'a-name-codex-does-not-know';

test('Codex calls an HTTP server through the gateway, and continues after that server was killed and restarted', async () => {
  await using everything = await openEverything(processes);
  await using model = await openModel();
  const mcpServers = {
    gw: { ...gatewayFor(everything.url), env: longTimeoutEnv, default_tools_approval_mode: 'approve' },
  };
  await using home = await createCodexHome({ modelUrl: model.url, model: UNKNOWN_MODEL, mcpServers });
  await using codex = await openAppServer({ home });
  const threadId = await startThread(codex, { cwd: home.workDir });
  const names = await toolNames(codex, threadId);
  expect(names).toEqual(expect.arrayContaining(['far__echo', 'far__get-sum', 'files__list_allowed_directories']));

  expect(await call(codex, { threadId, tool: 'far__echo', arguments: { message: 'before' } })).toEqual('completed');
  expect(outputs(model)).toEqual([expect.stringContaining('Echo: before')]);
  const shown = model.requests[0]?.tools.find(({ name }) => name === 'mcp__gw');
  const shownNames = objectsOf(shown?.['tools']).map(({ name }) => name);
  expect(shownNames).toEqual(expect.arrayContaining(['far__echo', 'far__get_sum', 'files__list_allowed_directories']));

  await everything.kill();
  await everything.start();
  expect(await call(codex, { threadId, tool: 'far__echo', arguments: { message: 'after' } })).toEqual('completed');
  expect(outputs(model).at(-1)).toContain('Echo: after');
  expect(await toolNames(codex, threadId)).toEqual(names);
});

test('while the server is down Codex gets one line about it, and the next call after its return works', async () => {
  await using everything = await openEverything(processes);
  await using model = await openModel();
  const mcpServers = {
    gw: { ...gatewayFor(everything.url), env: longTimeoutEnv, default_tools_approval_mode: 'approve' },
  };
  await using home = await createCodexHome({ modelUrl: model.url, model: UNKNOWN_MODEL, mcpServers });
  await using codex = await openAppServer({ home });
  const threadId = await startThread(codex, { cwd: home.workDir });
  await call(codex, { threadId, tool: 'far__echo', arguments: { message: 'before' } });

  await everything.kill();
  await call(codex, { threadId, tool: 'far__echo', arguments: { message: 'nobody hears' } });
  const reported = outputs(model).at(-1) ?? '';
  expect(reported).toMatch(/Server error: far is down: .*Run: switchboard mcp test --config \S+ far/);
  expect(reported).not.toContain('Echo: nobody hears');
  // The other server is not affected.
  await call(codex, { threadId, tool: 'files__list_allowed_directories', arguments: {} });
  expect(outputs(model).at(-1)).toContain(home.workDir);

  await everything.start();
  expect(await call(codex, { threadId, tool: 'far__echo', arguments: { message: 'after' } })).toEqual('completed');
  expect(outputs(model).at(-1)).toContain('Echo: after');
});

/** In front of both official servers: everything over HTTP, filesystem over stdio. */
function gatewayFor(url: string) {
  const folder = mkdtempSync(join(tmpdir(), 'switchboard-codex-http-'));
  folders.push(folder);
  const file = join(folder, 'servers.json');
  const mcpServers = { far: { type: 'http', url }, files: officialServer('filesystem', '.') };
  writeFileSync(file, JSON.stringify({ mcpServers }));
  return switchboard('gateway', '--config', file);
}

async function toolNames(codex: AppServer, threadId: string): Promise<readonly string[]> {
  const { data } = await codex.request('mcpServerStatus/list', { threadId });
  const [server] = objectsOf(data);
  return Object.keys(isObject(server?.['tools']) ? server['tools'] : {}).toSorted();
}

interface Call {
  readonly threadId: string;
  readonly tool: string;
  readonly arguments: Readonly<Record<string, string>>;
}

/** Runs one turn in which the model makes this call. Returns how the turn ended. */
async function call(codex: AppServer, { threadId, tool, arguments: args }: Call): Promise<unknown> {
  const turn = await runTurn(codex, threadId, [{ mcp: { server: 'gw', tool, arguments: args } }, { message: 'done' }]);
  return isObject(turn) ? turn['status'] : turn;
}

/** The last tool output that the model received. */
function outputs(model: Model): readonly string[] {
  const last = model.requests.at(-1);
  return last === undefined ? [] : toolOutputs(last);
}
