import { chmodSync, linkSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openTraceFile } from '../../src/gateway/trace/trace-file.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'switchboard-trace-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const complaints: string[] = [];
afterEach(() => void complaints.splice(0));
const complain = (text: string) => void complaints.push(text);

const linesOf = (file: string) => readFileSync(file, 'utf8').trimEnd().split('\n');
const line = (n: number) => `{"time":"2026-01-01T00:00:00.000Z","n":${n},"fill":"${'x'.repeat(100)}"}`;

describe('a file that cannot be written is rejected at startup, by name', () => {
  test.each([
    ['a missing folder', 'its folder does not exist', () => join(folder, 'no', 'trace')],
    ['a folder', 'it is a folder', () => folder],
    [
      'a file in place of its folder',
      'its folder is a file',
      () => {
        writeFileSync(join(folder, 'file'), '');
        return join(folder, 'file', 'trace');
      },
    ],
    [
      'a symlink',
      'it is a symbolic link',
      () => {
        writeFileSync(join(folder, 'target'), '');
        symlinkSync(join(folder, 'target'), join(folder, 'link'));
        return join(folder, 'link');
      },
    ],
    ['a device', 'it is not a regular file', () => '/dev/null'],
    [
      'a file that is not a trace',
      'it already contains something else',
      () => {
        writeFileSync(join(folder, 'thesis.txt'), 'It was a dark and stormy night.');
        linkSync(join(folder, 'thesis.txt'), join(folder, 'hard-link'));
        return join(folder, 'hard-link');
      },
    ],
  ])('%s', (_, reason, prepare) => {
    const file = prepare();
    expect(() => openTraceFile(file, { reportError: complain })).toThrow(
      expect.objectContaining({
        code: 'USAGE',
        message: `The trace cannot be written to ${file}: ${reason}. Name another file with --trace.`,
        data: { file },
      }),
    );
  });

  test('and its content is kept', () => {
    const file = join(folder, 'thesis.txt');
    writeFileSync(file, 'It was a dark and stormy night.', { mode: 0o644 });
    expect(() => openTraceFile(file, { reportError: complain })).toThrow('something else');
    expect(readFileSync(file, 'utf8')).toBe('It was a dark and stormy night.');
    expect(statSync(file).mode & 0o777).toBe(0o644);
  });
});

test('only its owner can read it, even if others could before', async () => {
  for (const name of ['new', 'old']) {
    const file = join(folder, name);
    if (name === 'old') {
      writeFileSync(file, '');
      chmodSync(file, 0o644);
    }
    const sink = openTraceFile(file, { reportError: complain });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    await sink.close();
  }
});

test('contains all lines in order when it is closed, after those of earlier runs', async () => {
  const file = join(folder, 'trace');
  for (const start of [0, 1000]) {
    const sink = openTraceFile(file, { reportError: complain });
    for (let n = start; n < start + 1000; n++) sink.write(line(n));
    await Promise.all([sink.close(), sink.close()]);
    sink.write(line(-1));
    expect(sink.isOpen).toBe(false);
  }
  const entries = linesOf(file).map((text) => JSON.parse(text));
  expect(entries.filter(({ note }) => note !== undefined)).toEqual([
    { time: expect.any(String), note: expect.stringMatching(/^switchboard \S+, pid \d+$/) },
    { time: expect.any(String), note: expect.stringMatching(/^switchboard \S+, pid \d+$/) },
  ]);
  expect(entries.flatMap(({ n }) => n ?? [])).toEqual(Array.from({ length: 2000 }, (_, n) => n));
  expect(complaints).toEqual([]);
});

test('two gateways can write to one file, and every line stays intact', async () => {
  const file = join(folder, 'trace');
  const sinks = [openTraceFile(file, { reportError: complain }), openTraceFile(file, { reportError: complain })];
  for (let n = 0; n < 500; n++) for (const sink of sinks) sink.write(line(n));
  await Promise.all(sinks.map((sink) => sink.close()));
  expect(linesOf(file).map((text) => JSON.parse(text))).toHaveLength(1002);
});

test('stops at its limit, with a note', async () => {
  const file = join(folder, 'trace');
  const sink = openTraceFile(file, { reportError: complain, maxBytes: 2000 });
  for (let n = 0; n < 100; n++) sink.write(line(n));
  expect(sink.isOpen).toBe(false);
  expect(complaints).toEqual([`The trace in ${file} has stopped: its limit of 2000 bytes is reached.`]);
  await sink.close();
  expect(statSync(file).size).toBeLessThanOrEqual(2000);
  expect(linesOf(file).length).toBeGreaterThan(5);
  expect(JSON.parse(linesOf(file).at(-1) ?? '')).toEqual({
    time: expect.any(String),
    note: 'The limit of 2000 bytes is reached: nothing more is recorded.',
  });
});

test('a file that is more than half full is truncated by the next run', async () => {
  const file = join(folder, 'trace');
  writeFileSync(file, `${line(1)}\n`.repeat(10));
  await openTraceFile(file, { reportError: complain, maxBytes: 2000 }).close();
  expect(linesOf(file)).toEqual([expect.stringContaining('"note":"switchboard ')]);
});
