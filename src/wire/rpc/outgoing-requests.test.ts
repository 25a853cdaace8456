import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { AppError } from '../../base/errors.ts';
import { createPeer } from './peer.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

test('reports progress in order and before the result, even if all of it arrives at once', async () => {
  const { peer, sent } = open();
  const received: unknown[] = [];
  const call = peer
    .request('tools/call', { name: 'a', _meta: { x: 1 } }, { onProgress: ({ progress }) => received.push(progress) })
    .then((result) => received.push(result));
  expect(sent).toEqual([
    { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'a', _meta: { x: 1, progressToken: 1 } } },
  ]);
  for (const progress of [1, 2, 3]) {
    peer.receive(JSON.stringify({ method: 'notifications/progress', params: { progressToken: 1, progress } }));
  }
  peer.receive('{"jsonrpc":"2.0","id":1,"result":"done"}');
  peer.receive('{"method":"notifications/progress","params":{"progressToken":1,"progress":4}}');
  await call;
  expect(received).toEqual([1, 2, 3, 'done']);
});

test('a progress listener that throws fails its own call and cancels the request', async () => {
  const { peer, sent } = open();
  const call = peer.request('a', {}, { onProgress: () => JSON.parse('no') });
  const other = peer.request('b', {});
  peer.receive('{"method":"notifications/progress","params":{"progressToken":1}}');
  peer.receive('{"id":2,"result":2}');
  await expect(call).rejects.toMatchObject({ code: 'INTERNAL' });
  await expect(other).resolves.toBe(2);
  expect(sent.at(-1)).toMatchObject({ method: 'notifications/cancelled', params: { requestId: 1 } });
});

test('an aborted signal cancels the call at once, and names it to the other side', async () => {
  const { peer, sent } = open();
  const controller = new AbortController();
  const call = peer.request('tools/call', {}, { signal: controller.signal });
  controller.abort();
  await expect(call).rejects.toMatchObject({ code: 'CANCELLED' });
  expect(sent.slice(1)).toEqual([
    {
      jsonrpc: '2.0',
      method: 'notifications/cancelled',
      params: { requestId: 1, reason: 'tools/call was cancelled.' },
    },
  ]);
  peer.receive('{"jsonrpc":"2.0","id":1,"result":"late"}');
  expect(sent).toHaveLength(2);
});

test('an already aborted signal sends nothing', async () => {
  const { peer, sent } = open();
  await expect(peer.request('a', {}, { signal: AbortSignal.abort() })).rejects.toMatchObject({ code: 'CANCELLED' });
  expect(sent).toEqual([]);
});

test('a finished call stops listening to its signal', async () => {
  const { peer, sent } = open();
  const controller = new AbortController();
  const call = peer.request('a', {}, { signal: controller.signal });
  peer.receive('{"id":1,"result":1}');
  await call;
  controller.abort();
  expect(sent).toHaveLength(1);
});

test('a call without a response times out and is cancelled, and a late response is dropped', async () => {
  const { peer, sent } = open();
  const call = peer.request('tools/call', {}, { timeoutMs: 500 });
  const outcome = expect(call).rejects.toMatchObject({ code: 'TIMED_OUT' });
  vi.advanceTimersByTime(499);
  expect(sent).toHaveLength(1);
  vi.advanceTimersByTime(101);
  await outcome;
  expect(sent.slice(1)).toMatchObject([{ method: 'notifications/cancelled', params: { requestId: 1 } }]);
  peer.receive('{"jsonrpc":"2.0","id":1,"result":"late"}');
  peer.receive('{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"late"}}');
  expect(sent).toHaveLength(2);
});

test('never cancels initialize', async () => {
  const { peer, sent } = open();
  const call = peer.request('initialize', {}, { timeoutMs: 1 });
  const outcome = expect(call).rejects.toThrow();
  vi.advanceTimersByTime(200);
  await outcome;
  expect(sent).toHaveLength(1);
});

test('close rejects every pending and later call, and may be called twice', async () => {
  const { peer, sent } = open();
  const calls = [peer.request('a', {}), peer.request('b', {}, { signal: new AbortController().signal })];
  const reason = new AppError('PROCESS_EXITED', 'gone');
  peer.close(reason);
  peer.close();
  calls.push(peer.request('c', {}));
  expect(await Promise.allSettled(calls)).toEqual([1, 2, 3].map(() => ({ status: 'rejected', reason })));
  peer.notify('notifications/late');
  peer.receive('{"id":1,"method":"late"}');
  expect(sent).toHaveLength(2);
});

test('rejectPending rejects pending calls, but notifications and responses are still sent', async () => {
  const { peer, sent } = open();
  const call = peer.request('a', {});
  peer.receive('{"id":"x","method":"m"}');
  peer.rejectPending();
  peer.notify('notifications/message');
  await expect(call).rejects.toMatchObject({ code: 'CONNECTION_CLOSED' });
  await peer.whenIdle();
  expect(sent.slice(1)).toEqual([
    { jsonrpc: '2.0', method: 'notifications/message' },
    { jsonrpc: '2.0', id: 'x', result: 'm' },
  ]);
});

test.each([
  ['a string code', '{"id":1,"error":{"code":"EFAIL","message":"x"}}', 'BAD_ANSWER'],
  ['no message', '{"id":1,"error":{"code":1}}', 'BAD_ANSWER'],
  ['an error that is a string', '{"id":1,"error":"x"}', 'BAD_ANSWER'],
  ['an error that is nested too deep', `{"id":1,"error":${'['.repeat(50_000)}${']'.repeat(50_000)}}`, 'BAD_ANSWER'],
  ['both a result and an error', '{"id":1,"result":1,"error":{"code":1,"message":"x"}}', 'BAD_ANSWER'],
  ['neither a result nor an error', '{"id":1}', 'BAD_ANSWER'],
  ['only a null error', '{"id":1,"error":null}', 'BAD_ANSWER'],
  ['no id', '{"result":1}', 'BAD_ANSWER'],
  ['a null id', '{"id":null,"error":{"code":-32700,"message":"x"}}', 'BAD_ANSWER'],
  ['an object id', '{"id":{"valueOf":0,"toString":0},"result":1}', 'BAD_ANSWER'],
  ['a boolean id', '{"id":true,"result":1}', 'BAD_ANSWER'],
  ['an error', '{"id":1,"error":{"code":-32000,"message":"no","data":[1]}}', 'REQUEST_FAILED'],
  ['a null result and an error', '{"id":1,"result":null,"error":{"code":1,"message":"x"}}', 'REQUEST_FAILED'],
])('a response with %s fails its call at once', async (_, answer, code) => {
  const { peer } = open();
  const call = peer.request('a', {});
  peer.receive(answer);
  await expect(call).rejects.toMatchObject({ code });
});

test.each([
  ['a null error next to the result', '{"id":1,"result":"yes","error":null}', 'yes'],
  ['its id as a string', '{"id":"1","result":"yes"}', 'yes'],
  ['a null result', '{"id":1,"result":null}', null],
])('accepts a response with %s', async (_, answer, result) => {
  const { peer, sent } = open();
  const call = peer.request('a', {});
  peer.receive(answer);
  peer.receive(answer);
  expect(await call).toBe(result);
  expect(sent).toHaveLength(1);
});

test('drops a response to an unknown id', async () => {
  const { peer, sent } = open();
  const call = peer.request('a', {});
  for (const id of ['2', '"x"', '""', '"0x1"', '1.5', '"1.0"', '-1']) peer.receive(`{"id":${id},"result":"wrong"}`);
  peer.receive('{"id":1,"result":"right"}');
  expect(await call).toBe('right');
  expect(sent).toHaveLength(1);
});

test('"method not found" without an id fails the call if a request after the notification was answered', async () => {
  const { peer } = open();
  peer.notify('notifications/initialized');
  const listed = peer.request('tools/list', {});
  peer.receive('{"id":1,"result":{}}');
  await listed;
  const call = peer.request('prompts/list', {});
  peer.receive('{"error":{"code":-32601,"message":"Method not found"}}');
  await expect(call).rejects.toMatchObject({ code: 'BAD_ANSWER' });
});

test('"method not found" without an id answers a notification, not a call', async () => {
  const { peer } = open();
  const refused = '{"id":null,"error":{"code":-32601,"message":"Method not found"}}';
  peer.notify('notifications/initialized');
  const cancelled = peer.request('gives-up', {}, { timeoutMs: 1 }).catch(() => 'gave up');
  vi.advanceTimersByTime(200);
  const call = peer.request('a', {});
  peer.receive(refused);
  peer.receive(refused);
  peer.receive('{"id":2,"result":1}');
  expect(await Promise.all([cancelled, call])).toEqual(['gave up', 1]);
  const unlucky = peer.request('b', {});
  peer.receive(refused);
  await expect(unlucky).rejects.toMatchObject({ code: 'BAD_ANSWER' });
});

test('rejects params that are not serializable, and sends nothing', async () => {
  const { peer, sent } = open();
  await expect(peer.request('a', { n: 1n })).rejects.toMatchObject({ code: 'INVALID_PARAMS' });
  expect(sent).toEqual([]);
});

function open() {
  const sent: unknown[] = [];
  const peer = createPeer({
    send: (text) => sent.push(JSON.parse(text)),
    onRequest: async ({ method }) => method,
    onNotification: () => undefined,
  });
  return { peer, sent };
}
