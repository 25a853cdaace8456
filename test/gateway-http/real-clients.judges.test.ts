import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, vi } from 'vitest';
import { openAppServer } from '../codex/app-server.ts';
import { runCodexExec } from '../codex/exec.ts';
import { type CodexHome, createCodexHome } from '../codex/home.ts';
import { openModel } from '../codex/model.ts';
import { toolOutputs } from '../codex/model-request.ts';
import { script } from '../codex/script.ts';
import { runTurn, startThread } from '../codex/thread.ts';
import { fixture } from '../fixtures/paths.ts';
import { testHomes } from '../gateway/run-cli.ts';
import { inspect } from '../judges/inspector.ts';
import { callWithMcporter } from '../judges/mcporter.ts';
import { trackProcesses } from '../processes.ts';
import { verifies } from '../verifies.ts';
import { type HttpProcess, openHttpProcess } from './http-process.ts';
import { kinds, officialClients } from './official-clients.ts';

const processes = trackProcesses();
const newHome = testHomes(processes);
const { connect } = officialClients();
const WITHIN = { timeout: 100_000, interval: 100 };

const restarts = {
  'killed and started again': async (opened: HttpProcess) => {
    await opened.kill();
    await opened.start();
  },
  'restarted without a gap': (opened: HttpProcess) => opened.restart(),
} as const;

for (const [how, restart] of Object.entries(restarts))
  verifies(
    ['gateway:http:real-clients'],
    `Codex, the official clients, the Inspector and mcporter continue when the gateway is ${how}`,
    async () => {
      const home = newHome();
      const trace = join(home.folder, 'trace.jsonl');
      const opened = await openHttpProcess({
        home,
        processes,
        servers: { one: fixture('well-behaved') },
        args: ['--auth', 'none', '--trace', trace],
      });
      const { url } = opened;
      const go = join(home.folder, 'go');
      const wait = fileURLToPath(new URL('fixtures/waits-for-file.mjs', import.meta.url));
      await using model = await openModel();
      const createHome = () =>
        createCodexHome({
          modelUrl: model.url,
          mcpServers: {
            gw: { url, default_tools_approval_mode: 'approve' },
            local: { command: process.execPath, args: [wait, go], default_tools_approval_mode: 'approve' },
          },
        });
      await using codexHome = await createHome();
      await using execHome = await createHome();

      // Codex with two threads, and the official clients.
      await using codex = await openAppServer({ home: codexHome });
      const threads = await Promise.all([1, 2].map(() => startThread(codex, { cwd: codexHome.workDir })));
      const sdks = await Promise.all(kinds.map((kind) => connect(kind, url, kind)));
      const useAll = async (text: string) => {
        const turns = threads.map((id, at) =>
          runTurn(codex, id, [...echo(`${text} thread ${at}`), { message: 'done' }]),
        );
        const calls = sdks.map(({ call }, at) => call('one__echo', { text: `${text} ${kinds[at]}` }));
        expect(await Promise.all(turns)).toMatchObject(threads.map(() => ({ status: 'completed' })));
        const answers = JSON.stringify(await Promise.all(calls));
        for (const kind of kinds) expect(answers).toContain(`${text} ${kind}`);
        for (const at of threads.keys()) expect(outputs().join()).toContain(`${text} thread ${at}`);
      };
      const outputs = () => model.requests.flatMap(toolOutputs);
      const useOnce = async (text: string) => {
        const env = processes.env();
        const method = ['tools/call', '--tool-name', 'one__echo', '--tool-arg', `text=${text}`];
        const tool = { url, tool: 'one__echo', args: { text }, env, cwd: home.folder };
        const answers = await Promise.all([inspect({ method, server: [url], env }), callWithMcporter(tool)]);
        for (const answer of answers) expect(JSON.stringify(answer)).toContain(text);
      };

      await Promise.all([useAll('before'), useOnce('before')]);

      // `codex exec` in the middle of its work.
      const exec = runExec(execHome);
      await vi.waitFor(() => expect(outputs().join()).toContain('exec before'), WITHIN);
      const initialized = () => initializedBy(trace);
      const before = initialized();
      const during = how.startsWith('killed') ? undefined : useOnce('during');
      await restart(opened);
      await during;
      writeFileSync(go, '');
      const { exitCode, stderr, events } = await exec;
      expect(exitCode, `${stderr}\n${JSON.stringify(events)}`).toBe(0);
      expect(outputs().join()).toContain('exec after');
      await useAll('after');
      // The Inspector and mcporter begin anew with each call. No other client does.
      expect(initialized().slice(before.length).filter(isLasting)).toEqual([]);
      expect(before.filter((name) => name.startsWith('codex')).length).toBeGreaterThanOrEqual(threads.length);
      await useOnce('after');
      await opened.stop();
    },
    300_000,
  );

const echo = (text: string) => [{ mcp: { server: 'gw', tool: 'one__echo', arguments: { text } } }];

/** Calls the gateway, waits for the file, and calls it again. */
function runExec(home: CodexHome) {
  const wait = { mcp: { server: 'local', tool: 'wait', arguments: {} } };
  const prompt = script([...echo('exec before'), wait, ...echo('exec after'), { message: 'done' }]);
  return runCodexExec({ home, prompt, timeoutMs: 200_000 });
}

/** The names of the clients that have initialized. */
function initializedBy(trace: string): string[] {
  return readFileSync(trace, 'utf8')
    .split('\n')
    .filter((line) => line.includes('"side":"client"') && line.includes('"direction":"in"'))
    .filter((line) => line.includes('"method":"initialize"'))
    .map((line) => String(JSON.parse(line).message?.params?.clientInfo?.name));
}

/** Whether the client of this name stays connected: Codex, or one of the official clients. */
function isLasting(name: string): boolean {
  return name === 'interop' || name.startsWith('codex');
}
