import { expect, test } from 'vitest';
import { AppError } from '../../../base/errors.ts';
import type { AppServerConnection } from './connection.ts';
import { createSupervisor } from './supervisor.ts';

const FELL = new AppError('PROCESS_EXITED', 'Codex was ended by SIGKILL.');

test('restarts less often after repeated crashes, and reports why', async () => {
  const { lives, clock, falls, opened } = open();
  await lives.connect();
  falls[0]?.(FELL);
  expect(lives.current()).toBeUndefined();
  await lives.connect();
  falls[1]?.(FELL);

  await expect(lives.connect()).rejects.toMatchObject({
    code: 'BUSY',
    message:
      'Codex exited several times in a row and will be restarted in 1 s at the earliest. Last failure: Codex was ended by SIGKILL.',
    cause: FELL,
    data: { retryAfterSeconds: 1 },
  });
  expect(opened).toHaveLength(2);
  clock.ms += 1_000;
  expect(await lives.connect()).toBe(opened[2]);
});

test('restarts at once after a long healthy run', async () => {
  const { lives, clock, falls, opened } = open();
  for (const count of [0, 1, 2, 3]) {
    await lives.connect();
    clock.ms += 600_000;
    falls[count]?.(FELL);
  }

  expect(await lives.connect()).toBe(opened[4]);
});

test('retries a missing Codex without delay', async () => {
  const { lives, opened, failures } = open();
  failures.push(
    new AppError('CODEX_MISSING', 'no codex'),
    new AppError('CODEX_MISSING', 'no codex'),
    new AppError('CODEX_MISSING', 'no'),
  );

  for (const _ of [1, 2, 3]) await expect(lives.connect()).rejects.toMatchObject({ code: 'CODEX_MISSING' });
  expect(await lives.connect()).toBe(opened[0]);
});

test('concurrent callers share one start and its failure', async () => {
  const { lives, opened, failures } = open();
  // The first start is attempted twice.
  failures.push(FELL, FELL);
  const failed = await Promise.allSettled([lives.connect(), lives.connect()]);
  expect(failed).toMatchObject([{ reason: FELL }, { reason: FELL }]);
  const [one, other] = await Promise.all([lives.connect(), lives.connect()]);

  expect([one, opened.length]).toEqual([other, 1]);
});

test('a deliberate stop does not count as a crash', async () => {
  const { lives, opened, closed } = open();
  await lives.stop();
  await lives.connect();
  await lives.stop();

  expect(closed).toEqual([0]);
  expect(await lives.connect()).toBe(opened[1]);
});

test('close ends a running or starting process, may be called twice, and prevents later starts', async () => {
  const { lives, closed } = open();
  const starting = expect(lives.connect()).rejects.toMatchObject({ code: 'CONNECTION_CLOSED' });
  await lives.close();
  await starting;
  await lives.close();

  expect(new Set(closed)).toEqual(new Set([0]));
  await expect(lives.connect()).rejects.toMatchObject({ code: 'CONNECTION_CLOSED' });
  expect(lives.current()).toBeUndefined();
});

function open() {
  const clock = { ms: 0 };
  const falls: ((reason: AppError) => void)[] = [];
  const opened: AppServerConnection[] = [];
  const closed: number[] = [];
  const failures: AppError[] = [];
  const lives = createSupervisor(
    async (fell) => {
      const failure = failures.shift();
      if (failure !== undefined) throw failure;
      const number = opened.length;
      const link: AppServerConnection = {
        version: undefined,
        pid: number,
        mark: '',
        depth: 1,
        request: () => expect.unreachable(),
        kill: () => expect.unreachable(),
        close: async () => void closed.push(number),
      };
      falls.push(fell);
      opened.push(link);
      return link;
    },
    { now: () => clock.ms },
  );
  return { lives, clock, falls, opened, closed, failures };
}
