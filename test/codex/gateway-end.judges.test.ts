import type { Readable } from 'node:stream';
import { expect, test, vi } from 'vitest';
import { fixture } from '../fixtures/paths.ts';
import { type CommandLine, gatewayFor } from '../interop/programs.ts';
import { type CodexProcess, startCodex } from './codex-process.ts';
import { findProcesses } from './find-processes.ts';
import { type CodexHome, createCodexHome } from './home.ts';
import { readJsonLines } from './json-lines.ts';
import { openModel } from './model.ts';
import { script } from './script.ts';

const MAX_END_MS = 30_000;
const servers = { behaved: fixture('well-behaved'), hanging: fixture('hangs-at-initialize') };

test('leaves nothing running after codex exec is done', async () => {
  using gateway = gatewayFor(servers);
  await using model = await openModel();
  await using home = await createHome(model.url, gateway);
  const prompt = script([
    { mcp: { server: 'gw', tool: 'behaved__echo', arguments: { text: 'hi' } } },
    { message: 'x' },
  ]);
  await using codex = await startCodex({ home, args: ['exec', '--json', '--skip-git-repo-check', prompt] });
  codex.stdin.end();
  codex.stdout.resume();
  // Without the gateway's tool, the script would not have completed.
  expect(await codex.exited).toEqual({ exitCode: 0, signal: null });
  await expectNothingLeft(home);
});

test('leaves nothing running after the client of codex app-server disconnects', async () => {
  using gateway = gatewayFor(servers);
  await using model = await openModel();
  await using home = await createHome(model.url, gateway);
  await using codex = await startCodex({ home, args: ['app-server'] });
  await startThread(codex, { home, servers: 2 });
  codex.stdin.end();
  expect(await codex.exited).toEqual({ exitCode: 0, signal: null });
  await expectNothingLeft(home);
});

test('leaves nothing running after Codex is killed, not even processes that ignore signals', async () => {
  using gateway = gatewayFor({ ...servers, stubborn: fixture('ignores-term') });
  await using model = await openModel();
  await using home = await createHome(model.url, gateway);
  await using codex = await startCodex({ home, args: ['app-server'] });
  const [pid = 0] = await findProcesses(home.rootDir);
  await startThread(codex, { home, servers: 3 });
  process.kill(pid, 'SIGKILL');
  expect(await codex.exited).toEqual({ exitCode: null, signal: 'SIGKILL' });
  await expectNothingLeft(home);
});

function createHome(modelUrl: string, { command, args }: CommandLine): Promise<CodexHome> {
  // The hanging server uses up all of that time, and the other one must be ready by then.
  const env = { WRAPPER_TOOLS_LIST_TIMEOUT_MS: '6000' };
  const gw = { command, args, env, startup_timeout_sec: 30, default_tools_approval_mode: 'approve' };
  return createCodexHome({ modelUrl, mcpServers: { gw } });
}

/** Starts a thread, which starts the gateway, and waits until everything is running. */
async function startThread(
  { stdin, stdout }: CodexProcess,
  { home, servers: count }: { readonly home: CodexHome; readonly servers: number },
): Promise<void> {
  const send = (message: object) => stdin.write(`${JSON.stringify(message)}\n`);
  const clientInfo = { name: 'bench', title: 'Test bench', version: '1.0.0' };
  send({ id: 1, method: 'initialize', params: { clientInfo } });
  send({ method: 'initialized' });
  send({ id: 2, method: 'thread/start', params: { cwd: home.workDir } });
  await answered(stdout, 2);
  // Codex, the gateway and its guard.
  const all = 3 + count;
  await vi.waitFor(async () => expect(await findProcesses(home.rootDir)).toHaveLength(all), { timeout: 30_000 });
}

/** Keeps reading after the response, because Codex would notice a closed reader. */
function answered(stdout: Readable, requestId: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const readAll = async () => {
      for await (const { id } of readJsonLines(stdout)) if (id === requestId) resolve();
      throw new Error('Codex has ended without an answer.');
    };
    readAll().catch(reject);
  });
}

/** Finds the processes that Codex started by the HOME that they inherit. */
async function expectNothingLeft(home: CodexHome): Promise<void> {
  await vi.waitFor(async () => expect(await findProcesses(home.rootDir)).toEqual([]), { timeout: MAX_END_MS });
}
