import { expect, test } from 'vitest';
import { AppError } from '../../base/errors.ts';
import { MAX_BATCH_MESSAGES } from './batch.ts';
import type { IncomingRequest } from './incoming-requests.ts';
import { createPeer } from './peer.ts';

test('a cancelled request has its signal aborted with the reason, and gets no response', async () => {
  const { peer, sent, running } = open();
  peer.receive('{"id":0,"method":"wait"}');
  peer.receive('{"id":"","method":"wait"}');
  peer.receive('{"method":"notifications/cancelled","params":{"requestId":0,"reason":"enough"}}');
  const [cancelled, other] = running;
  expect(cancelled?.request.signal.aborted).toBe(true);
  expect(cancelled?.request.signal.reason).toMatchObject({
    code: 'CANCELLED',
    message: expect.stringContaining('enough'),
  });
  expect(other?.request.signal.aborted).toBe(false);
  for (const { finish } of running) finish('done');
  await peer.whenIdle();
  expect(sent).toEqual([{ jsonrpc: '2.0', id: '', result: 'done' }]);
});

test('a cancellation aborts a signal that was accessed before', () => {
  const { peer, running } = open();
  peer.receive('{"id":7,"method":"wait"}');
  const signal = running[0]?.request.signal;
  peer.receive('{"method":"notifications/cancelled","params":{"requestId":7}}');
  expect(signal?.aborted).toBe(true);
});

test.each(['{}', 'null', '5', '{"requestId":null}', '{"requestId":{"toString":0}}', '{"requestId":99}'])(
  'a cancellation with params %s cancels nothing',
  (params) => {
    const { peer, sent, running } = open();
    peer.receive('{"id":1,"method":"wait"}');
    peer.receive(`{"method":"notifications/cancelled","params":${params}}`);
    expect(running[0]?.request.isAborted).toBe(false);
    expect(sent).toEqual([]);
  },
);

test('close aborts all running requests, even with the same id, and sends no responses', async () => {
  const { peer, sent, running } = open();
  peer.receive('{"id":1,"method":"wait"}');
  peer.receive('{"id":1,"method":"wait"}');
  const reason = new AppError('CONNECTION_CLOSED', 'gone');
  peer.close(reason);
  expect(running.map(({ request }) => request.signal.reason)).toEqual([reason, reason]);
  for (const { finish } of running) finish('late');
  await peer.whenIdle();
  expect(sent).toEqual([]);
});

test('whenIdle waits for every running request, even for two with the same id', async () => {
  const { peer, sent, running } = open();
  peer.receive('{"id":1,"method":"wait"}');
  peer.receive('{"id":1,"method":"wait"}');
  let isIdle = false;
  const idle = peer.whenIdle().then(() => {
    isIdle = true;
  });
  running[1]?.finish('second');
  await settle();
  expect(isIdle).toBe(false);
  running[0]?.finish('first');
  await idle;
  expect(sent).toMatchObject([{ result: 'second' }, { result: 'first' }]);
});

test('sends the responses of a batch together when the last one is ready', async () => {
  const { peer, sent, running } = open();
  peer.receive(
    '[{"id":1,"method":"wait"},{"method":"n"},{"id":9,"result":1},5,{"id":2,"method":"wait"},{"id":true,"method":"x"}]',
  );
  running[1]?.finish('two');
  await settle();
  expect(sent).toEqual([]);
  running[0]?.finish('one');
  await settle();
  expect(sent).toEqual([
    [
      { jsonrpc: '2.0', id: null, error: { code: -32600, message: 'A message must be a JSON object.' } },
      { jsonrpc: '2.0', id: null, error: { code: -32600, message: 'An id must be a string or a number.' } },
      { jsonrpc: '2.0', id: 2, result: 'two' },
      { jsonrpc: '2.0', id: 1, result: 'one' },
    ],
  ]);
});

test('a cancelled member of a batch does not delay the others, and its handler may still finish', async () => {
  const { peer, sent, running } = open();
  peer.receive('[{"id":1,"method":"wait"},{"id":2,"method":"wait"}]');
  running[1]?.finish('two');
  await settle();
  peer.receive('{"method":"notifications/cancelled","params":{"requestId":1}}');
  expect(sent).toEqual([[{ jsonrpc: '2.0', id: 2, result: 'two' }]]);
  running[0]?.finish('late');
  await peer.whenIdle();
  expect(sent).toHaveLength(1);
});

test.each([
  ['only notifications', '[{"method":"n"},{"method":"n"}]'],
  ['only responses', '[{"id":5,"result":1}]'],
])('sends no response to a batch of %s', (_, batch) => {
  const { peer, sent } = open();
  peer.receive(batch);
  expect(sent).toEqual([]);
});

test('rejects an empty batch and one over the limit with one error', () => {
  const { peer, sent } = open();
  peer.receive('[]');
  peer.receive(JSON.stringify(Array.from({ length: MAX_BATCH_MESSAGES + 1 }, () => 1)));
  expect(sent).toMatchObject([
    { id: null, error: { code: -32600 } },
    { id: null, error: { code: -32600 } },
  ]);
});

interface Running {
  readonly request: IncomingRequest;
  readonly finish: (result: unknown) => void;
}

function open() {
  const sent: unknown[] = [];
  const running: Running[] = [];
  const peer = createPeer({
    send: (text) => sent.push(JSON.parse(text)),
    onRequest: (request) => new Promise((finish) => running.push({ request, finish })),
    onNotification: () => undefined,
  });
  return { peer, sent, running };
}

function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
