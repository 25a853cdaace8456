import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import type { RunningStatus } from '../../src/control/status/running-status.ts';
import { switchboard } from '../interop/programs.ts';
import { trackProcesses } from '../processes.ts';
import { runningStatus, summary, useRunning } from './running-processes.ts';
import { configure } from './test-report.ts';
import { type Testbed, useTestbeds } from './testbed.ts';

const processes = trackProcesses();
const newTestbed = useTestbeds(processes);
const running = useRunning(processes);

describe('mcp status --watch in a pipe', () => {
  test('prints a block at once, the next one at each change, and no control sequences', async () => {
    const testbed = newTestbed();
    // Nothing has changed in the first two queries.
    await openChanging(testbed, (asked) => (asked <= 2 ? 0 : asked));
    const { status, stdout, stderr } = await testbed.mcp('status', '--watch', '--count', '2');
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    const head = [`gateway · pid ${process.pid} · up under a minute · /work`, expect.stringMatching(/^id .* note$/)];
    expect(stdout.split('\n')).toEqual([
      ...head,
      expect.stringMatching(/^one .* ready {2}1 {6}0 {6}-$/),
      '',
      ...head,
      expect.stringMatching(/^one .* ready {2}1 {6}3 {6}-$/),
      '',
    ]);
  });

  test('with --json prints one document for each change', async () => {
    const testbed = newTestbed();
    await openChanging(testbed, (asked) => asked);
    const { status, stdout, stderr } = await testbed.mcp('status', '--watch', '--json', '--count', '3');
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    const documents = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(documents.map(({ v, running }) => [v, running[0].servers[0].calls])).toEqual([
      [1, 1],
      [1, 2],
      [1, 3],
    ]);
  });

  test('shows the configured servers once the watched process has ended', async () => {
    const testbed = configure(newTestbed(), { mine: { command: 'x' } });
    const control = await openChanging(testbed, () => 0);
    const watching = running.start(testbed, 'status', '--watch', '--count', '2');
    const stdout = text(watching.process.stdout);
    await once(watching.process.stdout, 'data');
    await control.close();
    const none = 'Switchboard is not running here; showing the configuration\n';
    expect([(await watching.exited)[0], await watching.stderr]).toEqual([0, none]);
    expect(await stdout).toMatch(/^gateway .*\nid .*\none .*\n\nid .*\nmine .*\n$/);
  });

  test.each(['SIGINT', 'SIGTERM'] as const)('exits silently on %s', async (signal) => {
    const watching = running.start(newTestbed(), 'status', '--watch');
    await once(watching.process.stdout, 'data');
    watching.process.kill(signal);
    expect([await watching.exited, await watching.stderr]).toEqual([[signal === 'SIGINT' ? 0 : 143, null], '']);
  });

  test('exits silently when its reader closes the pipe', async () => {
    const testbed = newTestbed();
    await openChanging(testbed, (asked) => asked);
    const watching = running.start(testbed, 'status', '--watch');
    await once(watching.process.stdout, 'data');
    watching.process.stdout.destroy();
    expect([await watching.exited, await watching.stderr]).toEqual([[0, null], '']);
  });

  test('rejects invalid combinations of options', async () => {
    const testbed = newTestbed();
    const failures = [
      ['--count', '2'],
      ['--watch', '--count', '0'],
      ['--watch', '--count', 'x'],
    ];
    const ran = await Promise.all(failures.map((args) => testbed.mcp('status', ...args)));
    expect(ran.map(({ status, stdout, stderr }) => [status, stdout, stderr.split('. ')[0]])).toEqual([
      [2, '', '--count requires --watch'],
      [2, '', '--count must be a whole number of at least 1, not 0'],
      [2, '', '--count must be a whole number of at least 1, not x'],
    ]);
    const unknown = await testbed.mcp('status', 'nobody', '--watch');
    expect(unknown).toMatchObject({ status: 2, stdout: '' });
  });
});

/** Switches to a separate screen without a cursor and without line wrapping, and back. */
const OPENED = '\u001b[?1049h\u001b[?25l\u001b[?7l';
const CLOSED = '\u001b[?7h\u001b[?25h\u001b[?1049l';

describe('mcp status --watch on a terminal', () => {
  test.each([
    ['q', 'q'],
    ['Ctrl-C', '\u0003'],
  ])('uses the alternate screen, fits the height, and restores the terminal on %s', async (_, key) => {
    const testbed = newTestbed();
    const servers = Array.from({ length: 20 }, (_item, index) => summary(`server-${index}`, { note: 'n'.repeat(99) }));
    await running.socket(testbed, () => runningStatus({ servers }));
    const { status, shown } = await onTerminal(testbed, { rows: 10, key, typedAfter: '… 33 more' });
    expect(status).toBe(0);
    const [, opened = ''] = shown.split(OPENED);
    const [drawn = '', rest = ''] = opened.split(CLOSED);
    // Nothing changed, so it was drawn once.
    expect(drawn.split('\u001b[H').length).toBe(2);
    expect(linesOf(drawn)).toHaveLength(10);
    expect(linesOf(drawn).filter((line) => line.length > 80)).toEqual([]);
    // The last output stays complete, and the terminal accepts lines again.
    expect(linesOf(rest)).toEqual([
      expect.stringMatching(/^gateway · pid/),
      ...Array(41).fill(expect.any(String)),
      ' icanon',
    ]);
  });

  test('without --watch shows it once, within 80 columns and without control sequences except colours', async () => {
    const testbed = newTestbed();
    const note = 'the server wants somebody to sign in before it says anything else';
    const next = 'switchboard mcp login github';
    await running.socket(testbed, () =>
      runningStatus({ servers: [summary('github', { state: 'auth_required', note, next })] }),
    );
    const { status, shown } = await onTerminal(testbed, { rows: 24, args: [] });
    const plain = shown.replaceAll('\u001b[33m', '').replaceAll('\u001b[39m', '');
    expect([status, plain === shown, plain.includes('\u001b')]).toEqual([0, false, false]);
    expect(linesOf(plain)).toEqual([
      `gateway · pid ${process.pid} · up under a minute · /work`,
      'id      transport  source  enabled  state            tools  calls  p50',
      'github  stdio      global  yes      ⚠ auth_required  1      0      -',
      '    the server wants somebody to sign in before it says anything else',
      '    → switchboard mcp login github',
      ' icanon',
    ]);
  });
});

/** One server. `calls` maps the number of queries so far to its call count. */
function openChanging(testbed: Testbed, calls: (asked: number) => number) {
  let asked = 0;
  const startedAt = Date.now();
  return running.socket(testbed, (): RunningStatus => {
    asked += 1;
    return runningStatus({ startedAt, servers: [summary('one', { calls: calls(asked) })] });
  });
}

function linesOf(shown: string): readonly string[] {
  const plain = ['\r', '\u001b[H', '\u001b[K', '\u001b[J'].reduce((all, part) => all.replaceAll(part, ''), shown);
  return plain.replace(/\n$/, '').split('\n');
}

interface OnTerminal {
  readonly rows: number;
  readonly args?: readonly string[];
  /** Typed once this text is shown. */
  readonly key?: string;
  readonly typedAfter?: string;
}

/** `script` runs a program on a pseudo-terminal. The final output of `stty` shows whether the terminal was restored. */
async function onTerminal(testbed: Testbed, { rows, args = ['--watch'], key = '', typedAfter }: OnTerminal) {
  const { command, args: all } = switchboard('mcp', 'status', ...args);
  const words = [command, ...all].map((word) => `'${word}'`).join(' ');
  const line = `stty cols 80 rows ${rows}; ${words}; status=$?; stty -a | grep -o '.icanon'; exit $status`;
  const env = processes.env({ HOME: testbed.folder, SWITCHBOARD_HOME: testbed.path('own') });
  const started = spawn('script', ['-qec', line, '/dev/null'], {
    env,
    cwd: testbed.path('project'),
    stdio: 'pipe',
    timeout: 55_000,
  });
  let shown = '';
  let isTyped = typedAfter === undefined;
  started.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    shown += chunk;
    if (isTyped || typedAfter === undefined || !shown.includes(typedAfter)) return;
    isTyped = true;
    started.stdin.write(key);
  });
  const [status] = await once(started, 'close');
  return { status: Number(status), shown };
}
