import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openProcesses, type Processes } from '../../src/base/process/processes.ts';
import type { SpawnOptions } from '../../src/base/process/spawn.ts';
import { isAlive, trackProcesses } from '../processes.ts';
import { firstLine, firstPids, fixture } from './fixture.ts';

const tracker = trackProcesses();
let processes: Processes;

beforeEach(() => {
  processes = openProcesses({ env: tracker.env() });
});

afterEach(() => processes.close());

/** For processes that end on KILL, however long a busy machine takes. */
const deadlines = { eofMs: 300, termMs: 300, killMs: 30_000 };
/** For processes that end on TERM. */
const untilTerm = { eofMs: 300, termMs: 30_000 };
/** For processes that end on EOF. */
const untilEof = { eofMs: 30_000 };
const node = (name: string): SpawnOptions => ({
  command: process.execPath,
  args: [fixture(name)],
  env: tracker.env(),
});

describe('stop', () => {
  test('ends a well-behaved program by closing stdin', async () => {
    const good = await processes.spawn({ ...node('well-behaved'), deadlines: untilEof });
    await firstLine(good.stdout);
    expect(await good.stop('no longer needed')).toEqual({ reason: 'no longer needed', stage: 'eof', survivors: [] });
    expect(await good.exited).toEqual({ code: 0, signal: null });
  });

  test('ends a program that ignores EOF with SIGTERM', async () => {
    const deaf = await processes.spawn({ ...node('ignores-eof'), deadlines: untilTerm });
    await firstLine(deaf.stdout);
    expect(await deaf.stop()).toEqual({ reason: 'stopped', stage: 'term', survivors: [] });
    expect(await deaf.exited).toEqual({ code: null, signal: 'SIGTERM' });
  });

  test('ends a program that ignores SIGTERM too with SIGKILL', async () => {
    const stubborn = await processes.spawn({ ...node('ignores-eof-and-term'), deadlines });
    await firstLine(stubborn.stdout);
    expect(await stubborn.stop()).toEqual({ reason: 'stopped', stage: 'kill', survivors: [] });
    expect(await stubborn.exited).toEqual({ code: null, signal: 'SIGKILL' });
  });

  test('can be called twice, and keeps the first reason', async () => {
    const deaf = await processes.spawn({ ...node('ignores-eof'), deadlines });
    await firstLine(deaf.stdout);
    const [first, second] = await Promise.all([deaf.stop('first'), deaf.stop('second')]);
    expect([first.reason, second.reason, (await deaf.stop('third')).reason]).toEqual(['first', 'first', 'first']);
    expect(await deaf.treeExited).toEqual(first);
  });

  test('works before the program has done anything, and after it has exited', async () => {
    const early = await processes.spawn({ ...node('ignores-eof'), deadlines });
    expect(await early.stop()).toMatchObject({ survivors: [] });
    const late = await processes.spawn(node('dies-at-once'));
    await late.treeExited;
    expect(await late.stop('too late')).toEqual({ reason: 'exited', stage: 'none', survivors: [] });
  });

  test('closes the pipes', async () => {
    const good = await processes.spawn(node('well-behaved'));
    await firstLine(good.stdout);
    await good.stop();
    expect([good.stdin.destroyed, good.stdout.destroyed]).toEqual([true, true]);
  });
});

describe('a process tree', () => {
  test('is killed when its leader exits by itself', async () => {
    const leader = await processes.spawn({ ...node('leaves-grandchild'), deadlines });
    const { grandchild } = await firstPids(leader.stdout);
    expect(isAlive(Number(grandchild))).toBe(true);
    leader.stdin.end();
    expect(await leader.exited).toEqual({ code: 0, signal: null });
    expect(await leader.treeExited).toEqual({ reason: 'exited', stage: 'kill', survivors: [] });
    expect(isAlive(Number(grandchild))).toBe(false);
  });

  test.runIf(process.platform === 'linux').each(['leaves-grandchild-in-new-session', 'hides-grandchild'])(
    'is stopped including processes that left the group: %s',
    async (name) => {
      const leader = await processes.spawn({ ...node(name), deadlines });
      const { grandchild } = await firstPids(leader.stdout);
      expect(isAlive(Number(grandchild))).toBe(true);
      expect(await leader.stop()).toEqual({ reason: 'stopped', stage: 'kill', survivors: [] });
      expect(isAlive(Number(grandchild))).toBe(false);
    },
  );

  test('is stopped without affecting another', async () => {
    const other = await processes.spawn({ ...node('well-behaved'), deadlines: untilEof });
    await firstLine(other.stdout);
    const bad = await processes.spawn({ ...node('has-all-bad-habits'), deadlines });
    await firstLine(bad.stdout);
    await bad.stop();
    expect(isAlive(other.pid)).toBe(true);
    expect(await other.stop()).toMatchObject({ stage: 'eof' });
  });
});

describe('close', () => {
  test('stops every started program, whatever its habits', async () => {
    const names = ['well-behaved', 'ignores-eof', 'ignores-eof-and-term', 'leaves-grandchild', 'has-all-bad-habits'];
    const started = await Promise.all(
      [...names, ...names].map((name) => processes.spawn({ ...node(name), deadlines })),
    );
    await Promise.all(started.map(({ stdout }) => firstLine(stdout)));
    await processes.close();
    expect(started.map(({ pid }) => isAlive(pid))).toEqual(started.map(() => false));
    expect(tracker.alive()).toEqual([]);
  });

  test('closes the stdin of all before it waits for any', async () => {
    // The delays are so long that, in sequence, the second process would not be reached in time.
    const patient = { ...node('reports-eof'), deadlines: { eofMs: 600_000 } };
    const started = await Promise.all([1, 2, 3].map(() => processes.spawn(patient)));
    await Promise.all(started.map(({ stdout }) => firstLine(stdout)));
    const reported = started.map(({ stdout }) => firstLine(stdout));
    const closing = processes.close();
    const received = await Promise.race([Promise.all(reported), delay(20_000, 'not all of them', { ref: false })]);
    for (const { pid } of started) process.kill(pid, 'SIGTERM');
    await closing;
    expect(received).toEqual(['eof', 'eof', 'eof']);
    expect(tracker.alive()).toEqual([]);
  });

  test('can be called twice, and nothing starts afterward', async () => {
    const starting = processes.spawn(node('ignores-eof'));
    const closing = processes.close();
    expect(processes.close()).toBe(closing);
    await expect(starting).rejects.toMatchObject({ code: 'CANCELLED' });
    await closing;
    await expect(processes.spawn(node('well-behaved'))).rejects.toMatchObject({ code: 'CANCELLED' });
    expect(tracker.alive()).toEqual([]);
  });
});
