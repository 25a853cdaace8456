import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { script } from '../codex/script.ts';
import type { Step } from '../codex/steps.ts';
import { createProcessTracker } from '../processes.ts';
import { withoutShellSnapshot } from './flow-testbed.ts';
import { eventually, openTestbed, type Testbed } from './testbed.ts';

/** `switchboard codex run|say|sessions|show` with the real Codex and a scripted model. */
const processes = createProcessTracker();
let testbed: Testbed;
beforeAll(async () => {
  testbed = await openTestbed(processes, withoutShellSnapshot({ extra: { approval_policy: 'on-request' } }));
});
afterAll(async () => {
  await testbed[Symbol.asyncDispose]();
});

interface Started {
  readonly pid: number | undefined;
  shown(): string;
  type(text: string): void;
  kill(signal: NodeJS.Signals): void;
  readonly ended: Promise<{ readonly status: number | null; readonly stdout: string; readonly stderr: string }>;
}

function start(args: readonly string[], { onTerminal = false } = {}): Started {
  const [program, ...rest] = testbed.command(...args);
  const line = [program, ...rest].map((word) => `'${word}'`).join(' ');
  const [command, all] = onTerminal ? ['script', ['-qec', line, '/dev/null']] : [program, rest];
  const child = spawn(command, all, { env: testbed.env(), cwd: testbed.home.workDir, timeout: 100_000 });
  const output = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const)
    child[name].setEncoding('utf8').on('data', (text: string) => {
      output[name] += text;
    });
  child.stdin.on('error', () => undefined);
  if (!onTerminal) child.stdin.end();
  return {
    pid: child.pid,
    shown: () => output.stdout + output.stderr,
    type: (text) => void child.stdin.write(text),
    kill: (signal) => void child.kill(signal),
    ended: once(child, 'close').then(async ([status]) => {
      // Whatever the end, nothing may be left running.
      await processes.assertAllGone({ withinMs: 20_000 });
      return { status, ...output };
    }),
  };
}

/** A command that Codex runs only with approval. */
const asks = (shell: string): Step => ({
  shell,
  options: { sandbox_permissions: 'require_escalated', justification: 'to test' },
});
const task = (...steps: readonly Step[]) => script(steps, 'Do it. ');
const sessionIn = (text: string) => /Session ([0-9a-f-]{36})/.exec(text)?.[1] ?? '';
const made = (name: string) => existsSync(join(testbed.home.workDir, name));

test('run prints the result alone on stdout, and the session can be listed, shown and continued', async () => {
  const { status, stdout, stderr } = await start(['run', task({ message: 'All done.' })]).ended;
  expect([status, stdout]).toEqual([0, 'All done.\n']);
  const id = sessionIn(stderr);
  expect(stderr.split('\n')).toEqual([
    `Session ${id}`,
    expect.stringMatching(/^Warning: Commands of this session cannot write: .* Use --sandbox workspace-write to /),
    `To continue, run: switchboard codex say ${id} "…"`,
    '',
  ]);
  const said = await start(['say', id, task({ message: 'Once more.' }), '--json']).ended;
  expect([said.status, said.stderr, JSON.parse(said.stdout)]).toMatchObject([
    ...[0, ''],
    { v: 1, sessionId: id, status: 'done', result: 'Once more.', denied: 0 },
  ]);
  const listed = await start(['sessions', '--json']).ended;
  // The tests of this file share a home, in any order. The newest session is first.
  expect(JSON.parse(listed.stdout).sessions[0]).toMatchObject({ sessionId: id, directory: testbed.home.workDir });
  const table = await start(['sessions']).ended;
  expect(table.stdout).toMatch(
    new RegExp(`^session +last used +folder +task\\n${id} +\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d`),
  );
  const shown = await start(['show', id]).ended;
  expect([shown.status, shown.stdout]).toEqual([0, expect.stringMatching(/\*\*Codex\*\*\n\nAll done\..*Once more\./s)]);
});

test('without a terminal, a request is denied, never approved, and the command exits with 9', async () => {
  const { status, stdout, stderr } = await start(['run', task(asks('touch no.txt'), { message: 'Went on.' })]).ended;
  expect([status, stdout, made('no.txt')]).toEqual([9, 'Went on.\n', false]);
  expect(stderr).toContain("Denied: Codex wants to execute: /bin/bash -lc 'touch no.txt'");
  expect(stderr).toContain('1 request of Codex was denied.');
  const asked = await start(['run', 'x', '--approve', 'ask']).ended;
  expect([asked.status, asked.stderr]).toEqual([2, expect.stringContaining('--approve ask needs a terminal')]);
});

test.each([
  ['y', true, 0],
  ['deny: not now', false, 9],
])('on a terminal, the answer %s decides', async (answer, isMade, expected) => {
  const name = `asked-${expected}.txt`;
  const run = start(['run', task(asks(`touch ${name}`), { message: 'Went on.' })], { onTerminal: true });
  await eventually(() => run.shown().includes('Decide: '));
  expect(made(name)).toBe(false);
  run.type(`${answer}\n`);
  const { status, stdout } = await run.ended;
  expect([status, made(name)]).toEqual([expected, isMade]);
  expect(stdout).toMatch(/\r\n\r\nCodex wants to execute: .*\r\n\r\nOptions: approve \(y\), .*deny \(n\), cancel\. /s);
  expect(stdout).toContain('Went on.');
});

test('a failed turn exits with 5', async () => {
  const { status, stdout, stderr } = await start(['run', task({ error: 400 })]).ended;
  expect([status, stdout, stderr]).toEqual([5, '', expect.stringContaining('The turn failed: ')]);
});

test('Ctrl-C interrupts the turn, exits with 130 and leaves nothing running', async () => {
  const run = start(['run', task({ hang: true })]);
  await eventually(() => sessionIn(run.shown()) !== '');
  run.kill('SIGINT');
  const { status, stdout, stderr } = await run.ended;
  expect([status, stdout, stderr]).toEqual([130, '', expect.stringContaining('Interrupted. To continue, run: ')]);
});

test.each([
  [['run'], 2, '<task> is missing.'],
  [['run', 'x', '--cwd', '/no/such'], 2, '--cwd'],
  [['run', 'x', '--sandbox', 'none'], 2, '--sandbox must be read-only or'],
  [['say', '00000000-0000-7000-8000-000000000000', 'x'], 2, '00000000-0000-7000-8000-000000000000'],
  [['show', '00000000-0000-7000-8000-000000000000'], 2, 'switchboard codex sessions shows all sessions'],
  [['show', 'nonsense'], 2, 'nonsense'],
  [['sesions'], 2, 'There is no switchboard codex sesions. Did you mean switchboard codex sessions?'],
])('%j exits with %i and says why', async (args, expected, message) => {
  const { status, stdout, stderr } = await start(args).ended;
  expect([status, stdout, stderr]).toEqual([expected, '', expect.stringContaining(message)]);
});

test('the server on a terminal prints help with the registration lines instead of waiting', async () => {
  const { status, stdout } = await start([], { onTerminal: true }).ended;
  expect([status, stdout]).toEqual([0, expect.stringContaining('codex mcp add codex -- switchboard codex')]);
});
