import { expect, test } from 'vitest';
import { simulateProcess } from '../../../../test/contracts/simulated-process.ts';
import { createDeferred } from '../../../base/deferred.ts';
import { openConnection } from './connection.ts';

test('reads the last messages of an app-server that has exited before it reports the crash', async () => {
  const { stdout, exit, events, crashed } = await open();
  exit();
  await new Promise((resolve) => setImmediate(resolve));
  stdout.write('{"method":"turn/completed","params":{}}\n');
  await crashed;
  expect(events).toEqual(['turn/completed', 'crashed: Codex (codex app-server) ended with exit code 3.']);
});

/** A connection whose process is simulated. */
async function open() {
  const { stdin, stdout, exit, processes } = simulateProcess();
  const events: string[] = [];
  const crashed = createDeferred<void>();
  stdin.once('data', () => stdout.write('{"id":1,"result":{"userAgent":"codex/0.166.0"}}\n'));
  await openConnection(
    {
      processes,
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
  return { stdout, events, exit: () => exit(3), crashed: crashed.promise };
}
