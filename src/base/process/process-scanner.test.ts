import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createProcessScanner, type ProcReader } from './process-scanner.ts';
import { openLinuxTree } from './process-tree-linux.ts';
import type { ProcessStat } from './procfs.ts';
import { createStopper } from './stop.ts';

const PREFIX = 'cafe/';

/** A fake /proc that counts process lists and can delay them. */
function openProc() {
  const processes = new Map<number, { stat: ProcessStat; environment: string }>();
  const environmentsRead: number[] = [];
  let looks = 0;
  let held: Promise<void> = Promise.resolve();
  const proc: ProcReader = {
    async *listLiveProcesses() {
      looks++;
      const found = [...processes.values()];
      await held;
      for (const { stat } of found) yield stat;
    },
    readEnvironment(pid) {
      environmentsRead.push(pid);
      const environment = processes.get(pid)?.environment;
      return environment === undefined ? undefined : Buffer.from(environment);
    },
  };
  return {
    proc,
    environmentsRead,
    looks: () => looks,
    start(pid: number, { startTime = pid, environment = '' } = {}) {
      const stat = { pid, isAlive: true, parent: 1, group: pid, session: pid, startTime };
      processes.set(pid, { stat, environment });
      return stat;
    },
    /** Delays the process list until the returned function is called. With a failure, the list fails. */
    hold(): (failure?: Error) => void {
      let release: (failure?: Error) => void = () => {};
      held = new Promise((resolve, reject) => {
        release = (failure) => (failure === undefined ? resolve() : reject(failure));
      });
      return release;
    },
  };
}

async function looksBegun(fakeProc: { looks(): number }, count: number): Promise<void> {
  while (fakeProc.looks() < count) await new Promise((resolve) => setImmediate(resolve));
}

test('a failed scan rejects only the callers that requested it', async () => {
  const fakeProc = openProc();
  const scanProcesses = createProcessScanner({ prefix: PREFIX, proc: fakeProc.proc });
  const release = fakeProc.hold();
  const first = [scanProcesses(0), scanProcesses(0)];
  await looksBegun(fakeProc, 1);
  const later = scanProcesses(0);
  release(new Error('out of files'));
  expect((await Promise.allSettled(first)).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  fakeProc.hold()();
  expect(await later).toEqual([]);
});

test('a request during a scan gets the next scan, which includes new processes', async () => {
  const fakeProc = openProc();
  const scanProcesses = createProcessScanner({ prefix: PREFIX, proc: fakeProc.proc });
  const old = fakeProc.start(10);
  const release = fakeProc.hold();
  const first = scanProcesses(0);
  await looksBegun(fakeProc, 1);
  const young = fakeProc.start(11);
  const later = Promise.all([scanProcesses(0), scanProcesses(0), scanProcesses(0)]);
  release();
  const marks = new Set();
  expect(await first).toEqual([{ ...old, marks }]);
  const both = [
    { ...old, marks },
    { ...young, marks },
  ];
  expect(await later).toEqual([both, both, both]);
  expect(fakeProc.looks()).toBe(2);
});

test('reads each environment once, and none of processes older than the oldest of interest', async () => {
  const fakeProc = openProc();
  const scanProcesses = createProcessScanner({ prefix: PREFIX, proc: fakeProc.proc });
  for (const pid of [10, 20, 30]) fakeProc.start(pid);
  await Promise.all([scanProcesses(30), scanProcesses(20)]);
  expect(fakeProc.environmentsRead).toEqual([20, 30]);
});

describe('marks', () => {
  async function marksIn(environment: string): Promise<readonly string[]> {
    const fakeProc = openProc();
    fakeProc.start(10, { environment });
    const [entry] = await createProcessScanner({ prefix: PREFIX, proc: fakeProc.proc })(0);
    return [...(entry?.marks ?? [])];
  }

  test.each([
    ['', []],
    ['A=cafe', []],
    ['A=cafe/1', []],
    ['A=cafe/12/\0B=1', ['cafe/12/']],
    ['A=outer/cafe/1/inner/7/\0B=cafe/2/', ['cafe/1/', 'cafe/2/']],
  ])('in %j are %j', async (environment, marks) => {
    expect(await marksIn(environment)).toEqual(marks);
  });

  test('are found exactly where they occur', async () => {
    const text = fc.array(fc.constantFrom('cafe/', 'cafe', '1', '12', '/', '\0', 'é')).map((parts) => parts.join(''));
    await fc.assert(
      fc.asyncProperty(text, async (environment) => {
        const found = await marksIn(environment);
        for (const mark of ['cafe/1/', 'cafe/12/', 'cafe/112/']) {
          expect(found.includes(mark)).toBe(environment.includes(mark));
        }
      }),
    );
  });
});

test('stopping two hundred processes at once shares a few scans', async () => {
  const fakeProc = openProc();
  fakeProc.start(10, { environment: `A=${PREFIX}none/` });
  const scanProcesses = createProcessScanner({ prefix: PREFIX, proc: fakeProc.proc });
  const exit = { promise: Promise.resolve({ code: 0, signal: null }), hasExited: () => true };
  const stops = Array.from({ length: 200 }, (_, index) => {
    // Ids that no process can have: the limit on Linux is 4194304.
    const leader = { pid: 5_000_000 + index, startTime: index };
    const options = { pid: leader.pid, mark: `${PREFIX}${index}/`, scanProcesses, hasExited: () => true };
    return createStopper(
      { exit, tree: openLinuxTree(leader, options), endStdin: () => {} },
      { eofMs: 0, termMs: 0, killMs: 0 },
    );
  });
  const results = await Promise.all(stops.map((stop) => stop('closed')));
  expect(results).toEqual(stops.map(() => ({ reason: 'closed', stage: 'none', survivors: [] })));
  expect(fakeProc.looks()).toBeLessThanOrEqual(4);
});
