import { expect, test } from 'vitest';
import { AppError } from '../../src/base/errors.ts';
import { createRedactor } from '../../src/base/redaction/redact.ts';
import { Connection } from '../../src/upstream/connection/connection.ts';
import type { UpstreamTransport } from '../../src/upstream/transports/transport.ts';

const REASON = new AppError('CONNECTION_CLOSED', 'it is being stopped');

function silentConnection(): Connection {
  return new Connection(
    { serverId: 'one', redactor: createRedactor([]) },
    { request() {}, notification() {}, invalidMessage() {}, end() {} },
  );
}

/** A server that runs when `launched` is called and has exited when its `close` resolves. */
function slowLaunch() {
  const happened: string[] = [];
  let launched: () => void = () => {};
  const gate = new Promise<void>((resolve) => {
    launched = resolve;
  });
  const transport: UpstreamTransport = {
    where: 'nowhere',
    send() {},
    queuedBytes: () => 0,
    nextSequence: () => 0,
    isUnsent: () => true,
    pause() {},
    resume() {},
    stderrTail: () => [],
    async close() {
      await new Promise((resolve) => setImmediate(resolve));
      happened.push('gone');
    },
  };
  const open = async () => {
    happened.push('launched');
    await gate;
    return transport;
  };
  return { happened, launched, open };
}

test('ending a server while it is being launched waits until it is gone', async () => {
  const connection = silentConnection();
  const { happened, launched, open } = slowLaunch();
  const opening = connection.open(open);
  const ended = connection.end(REASON).then(() => happened.push('ended'));
  launched();
  await Promise.all([opening, ended]);
  expect(happened[0]).toBe('launched');
  expect(happened.at(-1)).toBe('ended');
});

test('does not launch a server that was ended before its turn', async () => {
  const connection = silentConnection();
  const { happened, launched, open } = slowLaunch();
  await connection.end(REASON);
  launched();
  await expect(connection.open(open)).rejects.toBe(REASON);
  expect(happened).toEqual([]);
});
