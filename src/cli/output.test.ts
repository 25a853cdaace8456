import { PassThrough } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { createOutput } from './output.ts';

test('writes answers to stdout and reports to stderr, one line each', () => {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const output = createOutput(stdout, stderr);
  output.answer('an answer');
  output.report('a complaint');
  expect([String(stdout.read()), String(stderr.read())]).toEqual(['an answer\n', 'a complaint\n']);
});

test('ignores EPIPE, and reports stdout as closed', () => {
  const { stdout, reported, program, output } = failing(['node', 'switchboard']);
  const before = output.isStdoutOpen?.();
  stdout.emit('error', Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }));
  expect([before, output.isStdoutOpen?.(), program.exitCode, reported()]).toEqual([true, false, undefined, null]);
});

describe('a failed write to stdout', () => {
  const full = Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
  const message = `Could not write the output to stdout: ${full.message}.`;
  const hint = 'Free up space there, or write it elsewhere.';

  test('is reported once on stderr, and sets the exit code', () => {
    const { stdout, reported, program, output } = failing(['node', 'switchboard', 'mcp', 'tools']);
    stdout.emit('error', full);
    stdout.emit('error', full);
    expect([reported(), program.exitCode, output.isStdoutOpen?.()]).toEqual([`${message} ${hint}\n`, 1, false]);
  });

  test('is reported as one JSON document with --json', () => {
    const { stdout, reported } = failing(['node', 'switchboard', 'mcp', 'tools', '--json']);
    stdout.emit('error', full);
    expect(JSON.parse(reported() ?? '')).toEqual({ error: { code: 'INTERNAL', retryable: true, message, hint } });
  });

  test('is reported as text if --json belongs to another program', () => {
    const { stdout, reported } = failing(['node', 'switchboard', '--', 'other', '--json']);
    stdout.emit('error', full);
    expect(reported()).toBe(`${message} ${hint}\n`);
  });

  test('keeps the exit code of an earlier failure', () => {
    const { stdout, program } = failing(['node', 'switchboard']);
    program.exitCode = 4;
    stdout.emit('error', full);
    expect(program.exitCode).toBe(4);
  });
});

test('a pipe has no screen', () => {
  expect(createOutput(new PassThrough(), new PassThrough()).screen).toBeUndefined();
});

test('assumes 80 by 24 if the terminal does not report its size', () => {
  const terminal = Object.assign(new PassThrough(), { isTTY: true, columns: 0 });
  const { screen } = createOutput(terminal, new PassThrough());
  expect(screen?.size()).toEqual({ columns: 80, rows: 24 });
  Object.assign(terminal, { columns: 132, rows: 40 });
  expect(screen?.size()).toEqual({ columns: 132, rows: 40 });
});

test('notifies a resize listener until it is removed', () => {
  const terminal = Object.assign(new PassThrough(), { isTTY: true });
  const { screen } = createOutput(terminal, new PassThrough());
  let reported = 0;
  const unlisten = screen?.onResize(() => reported++);
  terminal.emit('resize');
  unlisten?.();
  terminal.emit('resize');
  expect(reported).toBe(1);
});

/** An output whose streams and process the test can inspect. */
function failing(argv: readonly string[]) {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const program: { argv: readonly string[]; exitCode?: number } = { argv };
  const reported = (): string | null => stderr.setEncoding('utf8').read();
  return { stdout, program, reported, output: createOutput(stdout, stderr, program) };
}

test('wraps reports between words on a terminal only', () => {
  const message = 'The config file could not be read because it is not valid JSON at line 7';
  const wrapped = 'The config file could not be read\nbecause it is not valid JSON at line 7';
  const complain = (columns: number | undefined, isVerbatim = false) => {
    const stderr = Object.assign(new PassThrough(), columns === undefined ? {} : { isTTY: true, columns });
    createOutput(new PassThrough(), stderr).report(message, { isVerbatim });
    return String(stderr.read());
  };
  expect(complain(40)).toBe(`${wrapped}\n`);
  expect(complain(undefined)).toBe(`${message}\n`);
  // JSON output must stay on one line.
  expect(complain(40, true)).toBe(`${message}\n`);
});
