import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { constants, tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { guardScript } from '../../src/base/process/guard-script.ts';
import { openProcesses, type Processes } from '../../src/base/process/processes.ts';
import { isAlive, trackProcesses } from '../processes.ts';
import { firstPids, fixture } from './fixture.ts';
import { guardsOf, type Host, type Hosts, openHosts } from './host.ts';

const onLinux = process.platform === 'linux';
const TEST_MS = 120_000;
const GONE_MS = 30_000;
const tracker = trackProcesses({ withinMs: GONE_MS });
let hosts: Hosts;

beforeAll(async () => {
  hosts = await openHosts();
});

afterAll(() => hosts.close());

interface Started {
  readonly host: Host;
  /** All processes except the host: the upstream, its three descendants and the guard. */
  readonly pids: readonly number[];
}

async function startHost(name = 'host', env: Readonly<Record<string, string>> = {}): Promise<Started> {
  const host = hosts.start(name, tracker.env(env));
  const pids = Object.values(await firstPids(host.stdout));
  // One of them does not carry the mark. The tracker must end it if the guard fails.
  for (const pid of pids) tracker.watch(pid);
  const all = [...pids, ...guardsOf(host.pid)];
  expect(all.map(isAlive)).toEqual([true, true, true, true, true]);
  return { host, pids: all };
}

async function allGone(pids: readonly number[]): Promise<void> {
  await expect.poll(() => pids.filter(isAlive), { timeout: GONE_MS, interval: 50 }).toEqual([]);
}

describe.runIf(onLinux)('no process outlives us', () => {
  test(
    'and no program planted in a PATH folder runs',
    async () => {
      const folder = mkdtempSync(join(tmpdir(), 'guard-'));
      for (const name of ['grep', 'sleep']) {
        writeFileSync(join(folder, name), `#!/bin/sh\ntouch ${folder}/ran\nexit 1\n`);
        chmodSync(join(folder, name), 0o755);
      }
      const { host, pids } = await startHost('host', { PATH: `${folder}:${process.env['PATH']}` });
      host.kill('SIGKILL');
      await allGone(pids);
      expect(existsSync(join(folder, 'ran'))).toBe(false);
      rmSync(folder, { recursive: true });
    },
    TEST_MS,
  );

  test(
    'after a signal to our whole group, as Ctrl-C sends it',
    async () => {
      const signals = ['SIGKILL', 'SIGTERM', 'SIGINT', 'SIGHUP'] as const;
      const ends = signals.map(async (signal) => {
        const { host, pids } = await startHost();
        const exit = once(host, 'exit');
        process.kill(-host.pid, signal);
        await allGone(pids);
        return (await exit)[1];
      });
      expect(await Promise.all(ends)).toEqual(signals);
    },
    TEST_MS,
  );

  test(
    'after an exit or an exception',
    async () => {
      const ends = ['exit', 'throw'].map(async (word) => {
        const { host, pids } = await startHost();
        const exit = once(host, 'exit');
        host.stdin.write(`${word}\n`);
        await allGone(pids);
        return (await exit)[0];
      });
      expect(await Promise.all(ends)).toEqual([0, 1]);
    },
    TEST_MS,
  );

  test(
    'even if the guard was never notified',
    async () => {
      const { host, pids } = await startHost('host-never-notifies-guard');
      host.kill('SIGKILL');
      await allGone(pids);
    },
    TEST_MS,
  );

  test(
    'even if the guard received every signal that can be ignored',
    async () => {
      const { host, pids } = await startHost();
      const [guard] = guardsOf(host.pid);
      await expect.poll(() => ignoresTerm(Number(guard))).toBe(true);
      for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.kill(Number(guard), signal);
      host.kill('SIGKILL');
      await allGone(pids);
    },
    TEST_MS,
  );
});

describe.runIf(onLinux)('the guard', () => {
  test.each(['close', 'stop'])(
    'exits with the last process, and we exit on our own: %s',
    async (word) => {
      const { host, pids } = await startHost();
      const exit = once(host, 'exit');
      host.stdin.write(`${word}\n`);
      expect(await exit).toEqual([0, null]);
      await allGone(pids);
    },
    TEST_MS,
  );

  test('does not keep us alive', async () => {
    const host = hosts.start('host-opens-guard-only', tracker.env());
    expect(await once(host, 'exit')).toEqual([0, null]);
    await tracker.assertAllGone({ withinMs: GONE_MS });
  });

  describe('in our own process', () => {
    let processes: Processes;
    const echo = { command: process.execPath, args: [fixture('well-behaved')], env: tracker.env() };
    beforeEach(() => {
      processes = openProcesses({ env: tracker.env() });
    });
    afterEach(async () => {
      await processes.close();
      // Stopping does not wait for it longer than a second.
      await expect.poll(() => guardsOf(process.pid)).toEqual([]);
    });

    test('is shared by all processes, and stops and starts with them', async () => {
      const [first, second] = await Promise.all([processes.spawn(echo), processes.spawn(echo)]);
      const guards = guardsOf(process.pid);
      expect(guards).toHaveLength(1);
      await first.stop();
      expect(guardsOf(process.pid)).toEqual(guards);
      await second.stop();
      await expect.poll(() => guardsOf(process.pid)).toEqual([]);
      const third = await processes.spawn(echo);
      expect(guardsOf(process.pid)).toHaveLength(1);
      await third.stop();
      await expect.poll(() => guardsOf(process.pid)).toEqual([]);
    });

    test('does not stay for a program that failed to start', async () => {
      await expect(processes.spawn({ ...echo, command: 'no-such-thing' })).rejects.toThrow('command not found');
      await expect.poll(() => guardsOf(process.pid)).toEqual([]);
    });

    test('is replaced when it is killed', async () => {
      const guarded = await processes.spawn(echo);
      const [before] = guardsOf(process.pid);
      process.kill(Number(before), 'SIGKILL');
      await expect.poll(() => guardsOf(process.pid).filter((pid) => pid !== before)).toHaveLength(1);
      await guarded.stop();
    });
  });
});

describe.runIf(onLinux)('the guard script', () => {
  const shells = [['/bin/sh'], ['/bin/dash'], ['/bin/bash', '--posix'], ['/bin/busybox', 'sh']].filter(([path = '']) =>
    existsSync(path),
  );

  async function startBad(): Promise<{ upstream: number; start: string; pids: readonly number[] }> {
    const env = { ...tracker.env(), SWITCHBOARD_MARK: 'other/1/' };
    const bad = spawn(process.execPath, [fixture('has-all-bad-habits')], { env, detached: true });
    const { upstream = 0, ...others } = await firstPids(bad.stdout);
    const pids = [upstream, ...Object.values(others)];
    for (const pid of pids) tracker.watch(pid);
    return { upstream, start: startTimeOf(upstream), pids };
  }

  test.each(shells)(
    'runs in %s',
    async (shell, ...options) => {
      const { upstream, start, pids } = await startBad();
      const args = [...options, '-c', guardScript, 'switchboard-guard', 'no-such-run'];
      const guard = spawn(shell ?? '', args, { stdio: ['pipe', 'ignore', 'pipe'] });
      const complaints = text(guard.stderr);
      guard.stdin.end(`+ 999999 1\n+ ${upstream} ${start}\n- 999999 1\n`);
      expect(await once(guard, 'exit')).toEqual([0, null]);
      expect(await complaints).toBe('');
      await allGone(pids);
    },
    TEST_MS,
  );

  test('ignores a group whose id was reused, and one that was released', async () => {
    const { upstream, start, pids } = await startBad();
    const guard = spawn('/bin/sh', ['-c', guardScript, 'switchboard-guard', 'no-such-run'], { stdio: 'pipe' });
    guard.stdin.end(`+ ${upstream} ${Number(start) - 1}\n+ ${upstream} ${start}\n- ${upstream} ${start}\n`);
    expect(await once(guard, 'exit')).toEqual([0, null]);
    expect(pids.map(isAlive)).toEqual(pids.map(() => true));
    for (const pid of pids) process.kill(pid, 'SIGKILL');
    await allGone(pids);
  });
});

/** Resolves when the shell has reached this point. */
function ignoresTerm(pid: number): boolean {
  const [, ignored = '0'] = /^SigIgn:\s+(\w+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1')) ?? [];
  return ((BigInt(`0x${ignored}`) >> BigInt(constants.signals.SIGTERM - 1)) & 1n) === 1n;
}

function startTimeOf(pid: number): string {
  return (
    readFileSync(`/proc/${pid}/stat`, 'latin1')
      .replace(/^.*\) /s, '')
      .split(' ')[19] ?? ''
  );
}
