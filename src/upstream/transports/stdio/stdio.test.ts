import { setTimeout as delay } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import { simulateProcess } from '../../../../test/contracts/simulated-process.ts';
import { createDeferred } from '../../../base/deferred.ts';
import { frameText } from '../../../wire/frame.ts';
import { createByteBudget } from '../../../wire/stream/byte-budget.ts';
import { openStdio } from './stdio.ts';

test('reads what an exited server wrote, although a message paused the transport', async () => {
  const server = await open();
  server.onFrame = () => server.transport.pause();
  server.stdout.write('{"id":1}\n');
  server.stdout.write('{"id":2}\n');
  server.exit();
  await delay(150);
  expect(server.events).toEqual(['{"id":1}']);
  server.onFrame = () => {};
  server.transport.resume();
  await server.ended;
  expect(server.events).toEqual(['{"id":1}', '{"id":2}', 'end PROCESS_EXITED']);
});

test('reads what an exited server wrote, although the event loop was blocked after the exit', async () => {
  const server = await open();
  server.exit();
  await nextTurn();
  const written = nextTurn().then(() => server.stdout.write('{"id":1}\n'));
  block(60);
  await written;
  await server.ended;
  expect(server.events).toEqual(['{"id":1}', 'end PROCESS_EXITED']);
});

/** A server whose process is simulated. */
async function open() {
  const { stdout, exit, processes } = simulateProcess();
  const events: string[] = [];
  const ended = createDeferred<void>();
  const server = { command: 'x', args: [], cwd: undefined, env: {}, framing: 'ndjson' as const };
  const opened = {
    stdout,
    events,
    ended: ended.promise,
    onFrame: () => {},
    exit: () => exit(0),
  };
  const transport = await openStdio(
    server,
    { processes, env: {}, unfinishedBytes: createByteBudget(1_000) },
    {
      redact: (text) => text,
      frame(frame) {
        events.push(frameText(frame));
        opened.onFrame();
      },
      reportError: vi.fn(),
      requestFailed: vi.fn(),
      isPending: () => true,
      end({ code }) {
        events.push(`end ${code}`);
        ended.resolve();
      },
    },
  );
  return Object.assign(opened, { transport });
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

function block(ms: number): void {
  const until = performance.now() + ms;
  while (performance.now() < until);
}
