import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { createOutput } from './output.ts';

test('answers go to stdout and complaints to stderr, a line each', () => {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const output = createOutput(stdout, stderr);
  output.answer('an answer');
  output.complain('a complaint');
  expect([String(stdout.read()), String(stderr.read())]).toEqual(['an answer\n', 'a complaint\n']);
});

test('a reader that has gone is no failure, and can be asked for', () => {
  const stdout = new PassThrough();
  const output = createOutput(stdout, new PassThrough());
  const before = output.isRead?.();
  stdout.emit('error', new Error('EPIPE'));
  expect([before, output.isRead?.()]).toEqual([true, false]);
});

test('a pipe has no screen', () => {
  expect(createOutput(new PassThrough(), new PassThrough()).screen).toBeUndefined();
});

test('a terminal that does not know its size is taken for the usual one', () => {
  const terminal = Object.assign(new PassThrough(), { isTTY: true, columns: 0 });
  const { screen } = createOutput(terminal, new PassThrough());
  expect(screen?.size()).toEqual({ columns: 80, rows: 24 });
  Object.assign(terminal, { columns: 132, rows: 40 });
  expect(screen?.size()).toEqual({ columns: 132, rows: 40 });
});

test('whoever wants to know is told of a new size, until it does not any more', () => {
  const terminal = Object.assign(new PassThrough(), { isTTY: true });
  const { screen } = createOutput(terminal, new PassThrough());
  let told = 0;
  const unlisten = screen?.onResize(() => told++);
  terminal.emit('resize');
  unlisten?.();
  terminal.emit('resize');
  expect(told).toBe(1);
});
