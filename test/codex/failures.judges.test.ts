import { fileURLToPath } from 'node:url';
import { describe, expect, test, vi } from 'vitest';
import { startCodex } from './codex-process.ts';
import { runCodexExec } from './exec.ts';
import { findProcesses } from './find-processes.ts';
import { createCodexHome } from './home.ts';
import { openModel } from './model.ts';
import { script } from './script.ts';
import type { Step } from './steps.ts';

const echo = { command: process.execPath, args: [fileURLToPath(new URL('echo-server.mjs', import.meta.url))] };

describe('codex exec exits with status 1 and the reason', () => {
  const cases: readonly { name: string; prompt: string; reason: RegExp }[] = [
    { name: 'after HTTP 401', prompt: script([{ error: 401 }]), reason: /401 Unauthorized: scripted error 401/u },
    // Codex has its own message for this status.
    { name: 'after HTTP 500', prompt: script([{ error: 500 }]), reason: /experiencing high demand/u },
    {
      name: 'after response.failed',
      prompt: script([{ failed: { code: 'invalid_prompt', message: 'not this one' } }]),
      reason: /^not this one$/u,
    },
    {
      name: 'after a stream which breaks in a message',
      prompt: script([{ message: 'half' }, { cut: true }]),
      reason: /stream disconnected/u,
    },
    { name: 'for a prompt without a script', prompt: 'hello', reason: /no user message contains a script/u },
    {
      name: 'for a bad script',
      prompt: '[[fake:[{"message":"a"},{"shel":"ls"}]]]',
      reason: /step 1: unknown kind .*shel/u,
    },
    {
      name: 'for a script which ends before the turn does',
      prompt: script([{ shell: 'true' }]),
      reason: /the script has no step left/u,
    },
  ];

  test.each(cases)('$name', async ({ prompt, reason }) => {
    await using model = await openModel();
    await using home = await createCodexHome({ modelUrl: model.url });
    const run = await runCodexExec({ home, prompt, timeoutMs: 50_000 });

    expect(run).toMatchObject({ exitCode: 1, timedOut: false });
    expect(run.events.at(-1)).toEqual({ type: 'turn.failed', error: { message: expect.stringMatching(reason) } });
  });
});

describe('leaves nothing running', () => {
  const hangs: readonly { name: string; steps: readonly Step[] }[] = [
    { name: 'before the first byte', steps: [{ hang: true }] },
    { name: 'in the middle of a stream', steps: [{ message: 'wait' }, { hang: true }] },
  ];

  test.each(hangs)('when the model hangs $name until the deadline', async ({ steps }) => {
    await using model = await openModel();
    await using home = await createCodexHome({ modelUrl: model.url, mcpServers: { echo } });
    const run = await runCodexExec({ home, prompt: script(steps), timeoutMs: 3_000 });

    expect(run).toMatchObject({ exitCode: null, timedOut: true });
    expect(await findProcesses(home.rootDir)).toEqual([]);
  });

  test.skipIf(process.platform !== 'linux')('when Codex is killed during a command', async () => {
    await using model = await openModel();
    await using home = await createCodexHome({ modelUrl: model.url, mcpServers: { echo } });
    const prompt = script([{ shell: 'sleep 300', options: { yield_time_ms: 250 } }, { hang: true }]);
    await using codex = await startCodex({ home, args: ['exec', '--json', '--skip-git-repo-check', prompt] });
    codex.stdin.end();
    codex.stdout.resume();
    await vi.waitFor(() => expect(model.requests).toHaveLength(2), { timeout: 30_000, interval: 50 });
    // Codex itself, the MCP server and at least one process for the command.
    expect((await findProcesses(home.rootDir)).length).toBeGreaterThan(2);
    await codex.kill();
    expect(await findProcesses(home.rootDir)).toEqual([]);
  });
});
