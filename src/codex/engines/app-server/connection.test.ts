import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { createDeferred } from '../../../base/deferred.ts';
import type { SpawnedProcess } from '../../../base/process/spawn.ts';
import { openConnection } from './connection.ts';

test('reads the last messages of an app-server that has exited before it reports the crash', async () => {
  const { stdout, exit, events, crashed } = await open();
  exit();
  await new Promise((resolve) => setImmediate(resolve));
  stdout.write('{"method":"turn/completed","params":{}}\n');
  await crashed;
  expect(events).toEqual(['turn/completed', 'crashed: Codex (codex app-server) ended with exit code 3.']);
});

/** A connection whose process is simulated: another process holds its stdout open after `exit`. */
async function open() {
  const [stdin, stdout] = [new PassThrough(), new PassThrough()];
  const events: string[] = [];
  const exit = createDeferred<{ code: number; signal: null }>();
  const crashed = createDeferred<void>();
  const stopped = { survivors: [] } as never;
  const running: SpawnedProcess = {
    pid: 7,
    mark: '',
    stdin,
    stdout,
    exited: exit.promise,
    treeExited: exit.promise.then(() => stopped),
    stderrTail: () => [],
    stop: async () => stopped,
  };
  stdin.once('data', () => stdout.write('{"id":1,"result":{"userAgent":"codex/0.166.0"}}\n'));
  await openConnection(
    {
      processes: { spawn: async () => running, close: async () => {} },
      program: { command: 'codex', args: [], env: {}, depth: 1 },
      cwd: '/',
      optOut: [],
      log: { debug() {} },
    },
    {
      notification: (method) => void events.push(method),
      request: () => undefined,
      crashed(reason) {
        events.push(`crashed: ${reason.message}`);
        crashed.resolve();
      },
    },
  );
  return { stdout, events, exit: () => exit.resolve({ code: 3, signal: null }), crashed: crashed.promise };
}
