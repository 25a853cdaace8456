import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text as readAll } from 'node:stream/consumers';
import { afterEach, describe, expect, test } from 'vitest';
import { readBlocks } from '../docs/blocks.ts';
import { isAlive, trackProcesses } from '../processes.ts';
import { verifies } from '../verifies.ts';
import { linesOf, recorder, WITHIN } from './host-harness.ts';

/** Runs examples/agent.mjs as a process, with servers that record their requests. */
const processes = trackProcesses();
const root = join(import.meta.dirname, '..', '..');
const agentFile = join(root, 'examples', 'agent.mjs');
const scripted = join(import.meta.dirname, 'fixtures', 'scripted-model.mjs');

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

describe('examples/agent.mjs', () => {
  test('has at most forty lines besides its imports, and is executable', () => {
    const lines = readFileSync(agentFile, 'utf8').split('\n');
    expect(lines[0]).toBe('#!/usr/bin/env node');
    expect(lines.filter((line) => line.trim() !== '' && !/^(import |#!)/.test(line)).length).toBeLessThanOrEqual(40);
    expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(120);
  });

  test('matches docs/host.md', () => {
    const shown = readBlocks(readFileSync(join(root, 'docs', 'host.md'), 'utf8')).map(({ code }) => code);
    expect(shown).toContain(readFileSync(agentFile, 'utf8'));
  });

  verifies('host:permission:denied', 'a denied call never reaches its server', async () => {
    const agent = start({ questions: [[[['one', 'echo', { text: 'hi' }]]]] });
    await agent.decide('n');
    const [run] = await agent.end();
    expect(run?.results).toEqual([
      expect.objectContaining({ is_error: true, text: expect.stringContaining('a person denied it') }),
    ]);
    expect(agent.calls('one')).toEqual([]);
    expect(agent.stderr()).toContain('one wants to run echo {\n  "text": "hi"\n}\n');
  });

  test('without a terminal the answer is no, and the model gets the reason', async () => {
    const agent = start({ questions: [[[['one', 'echo', { text: 'hi' }]]]] });
    agent.process.stdin.end();
    const [run] = await agent.end();
    expect(run?.results).toMatchObject([
      { is_error: true, text: expect.stringMatching(/^echo of one was not called: .*nobody is there to answer/) },
    ]);
    expect(agent.calls('one')).toEqual([]);
  });

  test.each(['', 'no', 'yesterday', 'abort', 'ja'])('the answer %j means no', async (answer) => {
    const agent = start({ questions: [[[['one', 'echo', { text: 'hi' }]]]] });
    await agent.decide(answer);
    const [run] = await agent.end();
    expect(run?.results).toMatchObject([{ is_error: true, text: expect.stringContaining('a person denied it') }]);
    expect(agent.calls('one')).toEqual([]);
  });

  test.each(['yes', 'Y', ' YES '])('the answer %j means yes', async (answer) => {
    const agent = start({ questions: [[[['one', 'echo', { text: 'hi' }]]]] });
    await agent.decide(answer);
    const [run] = await agent.end();
    expect(run?.results).toMatchObject([{ is_error: false, text: 'hi' }]);
  });

  test('answers may arrive before their questions, through a closed pipe', async () => {
    const step = [['one', 'echo', { text: 'hi' }]];
    const agent = start({ questions: [[step, step, step]] });
    agent.process.stdin.end('y\nn\n');
    const [run] = await agent.end();
    expect(run?.results).toMatchObject([
      { is_error: false, text: 'hi' },
      { is_error: true, text: expect.stringContaining('a person denied it') },
      { is_error: true, text: expect.stringContaining('nobody is there to answer') },
    ]);
    expect(agent.calls('one')).toHaveLength(1);
    expect(agent.asked()).toBe(3);
  });

  verifies('host:adapter:plain', 'a confirmed call runs, and the model reads its result', async () => {
    const agent = start({ questions: [[[['one', 'echo', { text: 'hi' }]]]] });
    await agent.decide('y');
    const [run] = await agent.end();
    expect(run?.results).toMatchObject([{ is_error: false, text: 'hi' }]);
    expect(agent.calls('one')).toMatchObject([{ call: 'echo', args: { text: 'hi' } }]);
  });

  test.each(['a', 'Always'])('a decision remembered with %j is asked once', async (answer) => {
    const step = [['one', 'echo', { text: 'again' }]];
    const agent = start({ questions: [[step, step], [step]] });
    await agent.decide(answer);
    const runs = await agent.end();
    expect(runs.flatMap(({ results }) => results.map(({ text }) => text))).toEqual(['again', 'again', 'again']);
    expect(agent.calls('one')).toHaveLength(3);
    expect(agent.asked()).toBe(1);
  });

  verifies('host:call:cancel-stdio', 'Ctrl-C cancels pending calls at their servers', async () => {
    const agent = start({
      questions: [
        [
          [
            ['one', 'wait', {}],
            ['two', 'wait', {}],
          ],
        ],
      ],
    });
    await agent.decide('y');
    await agent.decide('y');
    for (const server of ['one', 'two']) await expect.poll(() => agent.calls(server), WITHIN).toHaveLength(1);
    agent.process.kill('SIGINT');
    expect(await agent.exited).toEqual([130, null]);
    expect(await agent.stdout).toBe('');
    for (const server of ['one', 'two']) {
      const [call, cancelled] = agent.calls(server);
      expect(cancelled).toEqual({ pid: call?.pid, cancelled: call?.id });
    }
    await expect.poll(() => processes.alive(), WITHIN).toEqual([]);
  });

  test('Ctrl-C during a question makes no call', async () => {
    const agent = start({ questions: [[[['one', 'echo', { text: 'hi' }]]]] });
    await agent.isAsked();
    agent.process.kill('SIGINT');
    expect(await agent.exited).toEqual([130, null]);
    expect(agent.calls('one')).toEqual([]);
  });

  test('Ctrl-C while the model thinks exits silently', async () => {
    const agent = start({ questions: [['think']] });
    await expect.poll(agent.stderr, WITHIN).toBe('I am thinking.\n');
    agent.process.kill('SIGINT');
    expect(await agent.exited).toEqual([130, null]);
    expect([await agent.stdout, agent.stderr()]).toEqual(['', 'I am thinking.\n']);
  });

  verifies(
    ['host:connect:lost', 'host:connect:lost-during-call', 'host:connect:reconnect'],
    'a killed server fails only its own call, and restarts',
    async () => {
      const folder = newFolder();
      const released = join(folder, 'released');
      const agent = start({
        folder,
        questions: [
          [
            [
              ['one', 'wait', {}],
              ['two', 'until', { file: released }],
            ],
            [['one', 'echo', { text: 'back' }]],
          ],
        ],
      });
      await agent.decide('y');
      await agent.decide('y');
      for (const server of ['one', 'two']) await expect.poll(() => agent.calls(server), WITHIN).toHaveLength(1);
      const pid = agent.calls('one')[0]?.pid ?? 0;
      process.kill(pid, 'SIGKILL');
      await expect.poll(() => isAlive(pid), WITHIN).toBe(false);
      writeFileSync(released, '');
      await agent.decide('y');
      const [run] = await agent.end();
      expect(run?.results).toMatchObject([
        { is_error: true, text: expect.stringMatching(/one/) },
        { is_error: false, text: 'at last' },
        { is_error: false, text: 'back' },
      ]);
      expect(agent.calls('one')[1]?.pid).not.toBe(pid);
    },
  );

  test('a tool that a server adds is offered in the next run', async () => {
    const agent = start({
      questions: [[[['one', 'grow', {}]]], [[['one', 'grown-1', {}]]]],
    });
    await agent.decide('y');
    await agent.decide('y');
    const [first, second] = await agent.end();
    expect(first?.offered).not.toContain('one.grown-1');
    expect(second?.offered).toContain('one.grown-1');
    expect(second?.results).toMatchObject([{ is_error: false, text: 'I am grown-1' }]);
  });

  test('without a model, a stub calls the tool that the question names, and no tool of the host', async () => {
    const agent = start({ words: ['Please grow a little', 'list the resources'] });
    await agent.decide('y');
    expect(await agent.exited).toEqual([0, null]);
    expect(await agent.stdout).toBe('grown-1\nNo tool fits.\n');
  });
});

interface StartOptions {
  readonly folder?: string;
  /** The steps of each run. Each step is a list of calls. */
  readonly questions?: readonly unknown[];
  /** The questions for the stand-in model, instead of steps. */
  readonly words?: readonly string[];
}

interface Run {
  readonly offered: readonly string[];
  readonly results: readonly { readonly text: string; readonly is_error: boolean }[];
}

const QUESTION = 'Allow it?';

function start({ folder = newFolder(), questions = [], words }: StartOptions) {
  const fileOf = (server: string) => join(folder, `${server}.jsonl`);
  const servers = Object.fromEntries(['one', 'two'].map((id) => [id, { transport: 'stdio', ...recorder(fileOf(id)) }]));
  const home = join(folder, 'home');
  mkdirSync(home);
  writeFileSync(join(home, 'config.json'), JSON.stringify({ version: 1, mcp: { servers } }));
  const env = processes.env({ SWITCHBOARD_HOME: home, ...(words === undefined ? { AGENT_MODEL: scripted } : {}) });
  const args = words ?? questions.map((question) => JSON.stringify(question));
  const agent = spawn(process.execPath, [agentFile, ...args], { cwd: folder, env, stdio: 'pipe', timeout: 55_000 });
  // By then, all of its output has been read.
  const exited = once(agent, 'close');
  const stdout = readAll(agent.stdout);
  let output = '';
  agent.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    output += chunk;
  });
  let decided = 0;
  const asked = () => output.split(QUESTION).length - 1;
  const isAsked = () => expect.poll(asked, WITHIN).toBeGreaterThan(decided);
  return {
    process: agent,
    exited,
    stdout,
    stderr: () => output,
    asked,
    isAsked,
    calls: (server: string) => (existsSync(fileOf(server)) ? linesOf(fileOf(server)) : []),
    async decide(answer: string) {
      await isAsked();
      decided++;
      agent.stdin.write(`${answer}\n`);
    },
    /** The results of all runs, when they have ended. */
    async end(): Promise<readonly Run[]> {
      const [status] = await exited;
      expect({ status, reply: output }).toMatchObject({ status: 0 });
      const lines = (await stdout).trimEnd().split('\n');
      return lines.map((line) => JSON.parse(line) as Run);
    },
  };
}

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'switchboard-agent-'));
  folders.push(folder);
  return folder;
}
