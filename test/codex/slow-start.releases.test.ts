import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { fixture } from '../fixtures/paths.ts';
import { type CommandLine, gatewayFor } from '../interop/programs.ts';
import { openAppServer } from './app-server.ts';
import { awkwardServer, toolSurfaces } from './awkward-server.ts';
import { startCodex } from './codex-process.ts';
import { runCodexExec } from './exec.ts';
import { createCodexHome } from './home.ts';
import { type Model, openModel } from './model.ts';
import { toolOutputs } from './model-request.ts';
import { printToolsSteps, shownTools } from './model-tools.ts';
import { testWith } from './releases.ts';
import { script } from './script.ts';
import type { Step } from './steps.ts';
import { runTurn, startThread } from './thread.ts';

// They mostly wait, so they run concurrently.
vi.setConfig({ testTimeout: 240_000, maxConcurrency: 10 });

const START_MS = 12_000;
/** A client that knows the tools before this did not learn them from this start of the server. */
const BEFORE_START_MS = 11_500;
const TIMEOUT_MS = 90_000;
const slow = fixture('slow-start', String(START_MS));
/** The description of the slow server's only tool. */
const DESCRIPTION = 'Returns its text';
const current = toolSurfaces.filter(({ release }) => release === 'current');

test.concurrent.for(toolSurfaces)(
  'connected directly, the slow server is missing from the first model request of the $kind surface',
  async ({ release, model: name }, { expect }) => {
    await using model = await openModel();
    // Neither Codex waits for it: the current one continues after a second, the old one gives up after ten.
    const mcpServers = { slow: { ...slow, required: false } };
    await using home = await createCodexHome({ modelUrl: model.url, model: name, release, mcpServers });
    const call: Step = { mcp: { server: 'slow', tool: 'echo', arguments: { text: 'hello' } } };
    const run = await runCodexExec({ home, prompt: script([call, { message: 'done' }]), timeoutMs: TIMEOUT_MS });

    const reported = [...lastOutputs(model), JSON.stringify(run.events.at(-1))].join('\n');
    expect(reported).toMatch(/mcp__slow__echo is not a function|no tool .*echo/u);
  },
);

test.concurrent.for(current)(
  'through the gateway it is available in the first conversation on the $kind surface, and at once in the second',
  async ({ model: name }, { expect }) => {
    using gateway = gatewayFor({ slow });
    await using model = await openModel();
    const mcpServers = { gw: settings(gateway) };
    await using home = await createCodexHome({ modelUrl: model.url, model: name, mcpServers });
    const call: Step = { mcp: { server: 'gw', tool: 'slow__echo', arguments: { text: 'hello' } } };
    const first = await runCodexExec({ home, prompt: script([call, { message: 'done' }]), timeoutMs: TIMEOUT_MS });
    expect(first.exitCode, `${first.stderr}\n${JSON.stringify(first.events)}`).toBe(0);
    expect(lastOutputs(model)).toEqual([expect.stringContaining('hello')]);

    // Codex kills the gateway within milliseconds. Anything that it has not stored by then is lost.
    const asked = model.requests.length;
    const prompt = script([...toolPrintSteps(name), call, { message: 'done' }]);
    await using second = await startCodex({ home, args: ['exec', '--json', '--skip-git-repo-check', prompt] });
    second.stdin.end();
    second.stdout.resume();
    await vi.waitFor(
      () =>
        expect(
          model.requests
            .slice(asked)
            .flatMap(shownTools)
            .map(({ description }) => description),
        ).toContain(DESCRIPTION),
      { timeout: BEFORE_START_MS },
    );
  },
);

testWith('current').concurrent(
  'through a gateway that Codex does not wait for, it is there later in the same turn',
  async ({ expect }) => {
    using gateway = gatewayFor({ slow });
    await using model = await openModel();
    const mcpServers = { gw: { ...settings(gateway), required: false } };
    await using home = await createCodexHome({ modelUrl: model.url, model: 'a-name', mcpServers });
    const steps: Step[] = [
      { delayMs: START_MS + 10_000 },
      { shell: 'true' },
      { mcp: { server: 'gw', tool: 'slow__echo', arguments: { text: 'hello' } } },
      { message: 'done' },
    ];
    await runCodexExec({ home, prompt: script(steps), timeoutMs: TIMEOUT_MS });

    expect(model.requests.map((request) => shownTools(request).length)).toEqual([0, 1, 1]);
    expect(lastOutputs(model).at(-1)).toContain('hello');
  },
);

testWith('old').concurrent(
  'the old Codex keeps the gateway while the slow server starts, and has all of it in the second conversation',
  async ({ expect }) => {
    using gateway = gatewayFor({ slow, odd: awkwardServer('integer') });
    await using model = await openModel();
    const mcpServers = { gw: settings(gateway) };
    await using home = await createCodexHome({ modelUrl: model.url, release: 'old', mcpServers });
    const converse = async (whenDone: () => Promise<void>) => {
      await using server = await openAppServer({ home });
      const threadId = await startThread(server, { cwd: home.workDir });
      expect(await runTurn(server, threadId, [{ message: 'done' }])).toMatchObject({ status: 'completed' });
      await whenDone();
      return model.requests
        .slice(-1)
        .flatMap(shownTools)
        .map(({ description }) => description);
    };
    const learned = () =>
      vi.waitFor(() => expectFileWith(DESCRIPTION, gateway.folder), { timeout: 60_000, interval: 200 });

    expect(await converse(learned)).toEqual([expect.stringContaining('integer')]);
    const startedAt = Date.now();
    expect((await converse(async () => undefined)).toSorted()).toEqual([
      DESCRIPTION,
      expect.stringContaining('integer'),
    ]);
    expect(Date.now() - startedAt).toBeLessThan(BEFORE_START_MS);
  },
);

/** Tools can be inspected by a program only if the model writes programs. */
function toolPrintSteps(model: string): readonly Step[] {
  return model === 'gpt-6.1-sol' ? printToolsSteps(1) : [];
}

/** The default configuration, without settings for waiting. Both conversations share the gateway's own files. */
function settings({ command, args, folder }: CommandLine & { readonly folder: string }) {
  return { command, args, env: { SWITCHBOARD_HOME: folder }, default_tools_approval_mode: 'approve' };
}

function lastOutputs(model: Model): readonly string[] {
  const last = model.requests.at(-1);
  return last === undefined ? [] : toolOutputs(last);
}

/** The catalog of a server is stored as received. */
async function expectFileWith(text: string, folder: string): Promise<void> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const contents = await Promise.all(paths.map((path) => readFile(path, 'utf8').catch(() => '')));
  expect(contents.join('\n')).toContain(text);
}
