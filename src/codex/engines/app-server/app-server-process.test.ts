import { expect, test } from 'vitest';
import { AppError } from '../../../base/errors.ts';
import { createAppServerProcess } from './app-server-process.ts';
import type { AppServerConnection } from './connection.ts';

const CRASH = new AppError('PROCESS_EXITED', 'Codex was ended by SIGKILL.');

test('restarts less often after repeated crashes, and reports why', async () => {
  const { appServer, clock, crashes, opened } = open();
  await appServer.connect();
  crashes[0]?.(CRASH);
  expect(appServer.current()).toBeUndefined();
  await appServer.connect();
  crashes[1]?.(CRASH);

  await expect(appServer.connect()).rejects.toMatchObject({
    code: 'BUSY',
    message:
      'Codex exited several times in a row and will be restarted in 1 s at the earliest. Last failure: Codex was ended by SIGKILL.',
    cause: CRASH,
    data: { retryAfterSeconds: 1 },
  });
  expect(opened).toHaveLength(2);
  clock.ms += 1_000;
  expect(await appServer.connect()).toBe(opened[2]);
});

test('restarts at once after a long healthy run', async () => {
  const { appServer, clock, crashes, opened } = open();
  for (const count of [0, 1, 2, 3]) {
    await appServer.connect();
    clock.ms += 600_000;
    crashes[count]?.(CRASH);
  }

  expect(await appServer.connect()).toBe(opened[4]);
});

test('retries a missing Codex without delay', async () => {
  const { appServer, opened, failures } = open();
  failures.push(
    new AppError('CODEX_MISSING', 'no codex'),
    new AppError('CODEX_MISSING', 'no codex'),
    new AppError('CODEX_MISSING', 'no'),
  );

  for (const _ of [1, 2, 3]) await expect(appServer.connect()).rejects.toMatchObject({ code: 'CODEX_MISSING' });
  expect(await appServer.connect()).toBe(opened[0]);
});

test('concurrent callers share one start and its failure', async () => {
  const { appServer, opened, failures } = open();
  // The first start is attempted three times.
  failures.push(CRASH, CRASH, CRASH);
  const failed = await Promise.allSettled([appServer.connect(), appServer.connect()]);
  expect(failed).toMatchObject([{ reason: CRASH }, { reason: CRASH }]);
  const [one, other] = await Promise.all([appServer.connect(), appServer.connect()]);

  expect([one, opened.length]).toEqual([other, 1]);
});

test('a deliberate stop does not count as a crash', async () => {
  const { appServer, opened, closed } = open();
  await appServer.stop();
  await appServer.connect();
  await appServer.stop();

  expect(closed).toEqual([0]);
  expect(await appServer.connect()).toBe(opened[1]);
});

test('close ends a running or starting process, may be called twice, and prevents later starts', async () => {
  const { appServer, closed } = open();
  const starting = expect(appServer.connect()).rejects.toMatchObject({ code: 'CONNECTION_CLOSED' });
  await appServer.close();
  await starting;
  await appServer.close();

  expect(new Set(closed)).toEqual(new Set([0]));
  await expect(appServer.connect()).rejects.toMatchObject({ code: 'CONNECTION_CLOSED' });
  expect(appServer.current()).toBeUndefined();
});

function open() {
  const clock = { ms: 0 };
  const crashes: ((reason: AppError) => void)[] = [];
  const opened: AppServerConnection[] = [];
  const closed: number[] = [];
  const failures: AppError[] = [];
  const appServer = createAppServerProcess(
    async (onCrash) => {
      const failure = failures.shift();
      if (failure !== undefined) throw failure;
      const number = opened.length;
      const connection: AppServerConnection = {
        version: undefined,
        pid: number,
        mark: '',
        depth: 1,
        request: () => expect.unreachable(),
        kill: () => expect.unreachable(),
        close: async () => void closed.push(number),
      };
      crashes.push(onCrash);
      opened.push(connection);
      return connection;
    },
    { now: () => clock.ms },
  );
  return { appServer, clock, crashes, opened, closed, failures };
}
