import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { frameText } from '../frame.ts';
import { createRelayPeer, type RelayedRequest, type RelayReceiver } from './relay-peer.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** A peer, and a record of everything that it reports. */
function open(more: Partial<RelayReceiver<RelayedRequest, number | undefined>> = {}) {
  const reported: string[] = [];
  const link = createRelayPeer<RelayedRequest, number | undefined>({
    request: ({ method }, frame) => reported.push(`request ${String(method)} ${frameText(frame)}`),
    notification: ({ method }, frame) => reported.push(`notification ${String(method)} ${frameText(frame)}`),
    invalidMessage: ({ code }) => reported.push(`unreadable ${code}`),
    expired: (id) => reported.push(`expired ${id}`),
    ...more,
  });
  const wait = (timeoutMs = 1_000): number => {
    const id = link.pending.nextId();
    const who: RelayedRequest = {
      method: 'm',
      result: (result) => reported.push(`result ${id} ${frameText(result.frame)}`),
      response: (_, frame) => reported.push(`answer ${id} ${frameText(frame)}`),
      fail: ({ code }) => reported.push(`fail ${id} ${code}`),
      progress: ({ progress }) => reported.push(`progress ${id} ${progress}`),
    };
    link.pending.add(id, who, timeoutMs);
    return id;
  };
  const receive = (text: string) => link.receive([Buffer.from(text)], undefined);
  return { link, reported, wait, receive };
}

describe('messages', () => {
  test.each([
    ['{"id":1,"method":"m","params":{"x":1.0}}', 'request m {"id":1,"method":"m","params":{"x":1.0}}'],
    ['{"id":"","method":"m"}', 'request m {"id":"","method":"m"}'],
    ['{"method":"n"}', 'notification n {"method":"n"}'],
    ['{"id":null,"method":"n"}', 'notification n {"id":null,"method":"n"}'],
    ['{"id":{},"method":"n"}', 'unreadable INVALID_REQUEST'],
    ['{"method":7}', 'unreadable METHOD_NOT_FOUND'],
    ['{"level":"info"}', 'unreadable INVALID_REQUEST'],
    ['42', 'unreadable INVALID_REQUEST'],
    ['null', 'unreadable INVALID_REQUEST'],
    ['Listening on stdio', 'unreadable PARSE_FAILED'],
  ])('reports %s unchanged', (text, expected) => {
    const { reported, receive } = open();
    receive(text);
    expect(reported).toEqual([expected]);
  });

  test('in a batch are handled separately, and an invalid one affects no other', () => {
    const { reported, wait, receive } = open();
    wait();
    receive('[{"method":"a"},7,[{"method":"b"}],{"jsonrpc":"2.0","id":1,"result":{}},{"id":2,"method":"c"}]');
    expect(reported).toEqual([
      'notification a {"method":"a"}',
      'unreadable INVALID_REQUEST',
      'unreadable INVALID_REQUEST',
      'result 1 {"jsonrpc":"2.0","id":1,"result":{}}',
      'request c {"id":2,"method":"c"}',
    ]);
  });

  test('nested in ten thousand lists are one invalid message', () => {
    const { reported, receive } = open();
    receive('['.repeat(10_000) + ']'.repeat(10_000));
    expect(reported).toEqual(['unreadable INVALID_REQUEST']);
  });

  test('are passed on with their origin', () => {
    const received: unknown[] = [];
    const { link, wait } = open({
      request: ({ id }, _, origin) => received.push(['request', id, origin]),
      notification: ({ method }, _, origin) => received.push(['notification', method, origin]),
      responded: (origin) => received.push(['responded', origin]),
    });
    wait();
    wait();
    link.receive([Buffer.from('{"id":1,"method":"m"}')], 7);
    link.receive([Buffer.from('[{"id":2,"method":"m"},{"method":"n"}]')], 8);
    link.receive([Buffer.from('{"jsonrpc":"2.0","id":1,"result":{}}')], 9);
    link.receive([Buffer.from('{"id":2,"error":{"code":1,"message":""}}')], 10);
    link.receive([Buffer.from('{"id":3,"method":"m"}')], undefined);
    expect(received).toEqual([
      ['request', 1, 7],
      ['request', 2, 8],
      ['notification', 'n', 8],
      ['responded', 9],
      ['responded', 10],
      ['request', 3, undefined],
    ]);
  });

  test('in a batch are passed on together if a batch handler is set', () => {
    const batches: unknown[] = [];
    const { reported, receive } = open({ batch: (messages, text) => batches.push([messages, text]) });
    receive('[{"method":"a"}, 7]');
    expect([reported, batches]).toEqual([[], [[[{ method: 'a' }, 7], '[{"method":"a"}, 7]']]]);
  });
});

describe('responses', () => {
  test('pass a result once to the request that waits for it, and to no other', () => {
    const { reported, wait, receive } = open();
    wait();
    wait();
    receive('{"jsonrpc":"2.0","id":2,"result":{}}');
    receive('{"jsonrpc":"2.0","id":2,"result":{}}');
    receive('{"jsonrpc":"2.0","id":99,"result":{}}');
    expect(reported).toEqual(['result 2 {"jsonrpc":"2.0","id":2,"result":{}}']);
  });

  test.each([
    '{"jsonrpc":"2.0","id":1,"error":{"code":-1,"message":"no"}}',
    '{"jsonrpc":"2.0","id":"1","result":{}}',
    '{"jsonrpc":"2.0","id":1,"result":{},"error":{"code":-1,"message":"no"}}',
    '{"jsonrpc":"2.0","id":1}',
    '{"jsonrpc":"2.0","id":1,"method":"m","result":{}}',
  ])('pass anything else with a pending id to the request that waits for it: %s', (text) => {
    const { reported, wait, receive } = open();
    wait();
    receive(text);
    expect(reported).toEqual([`answer 1 ${text}`]);
  });

  test('without an id fail all pending requests', () => {
    const { reported, wait, receive } = open();
    wait();
    wait();
    receive('{"jsonrpc":"2.0","error":{"code":-32700,"message":"Parse error"}}');
    expect(reported).toEqual(['fail 1 BAD_ANSWER', 'fail 2 BAD_ANSWER']);
  });

  test('without an id to a notification of ours affect no request', () => {
    const { link, reported, wait, receive } = open();
    wait();
    link.pending.notificationSent();
    receive('{"jsonrpc":"2.0","id":null,"error":{"code":-32601,"message":"Method not found"}}');
    expect(reported).toEqual([]);
    receive('{"jsonrpc":"2.0","id":null,"error":{"code":-32601,"message":"Method not found"}}');
    expect(reported).toEqual(['fail 1 BAD_ANSWER']);
  });

  test('without an id fail the request if a request after the notification got a result', () => {
    const { link, reported, wait, receive } = open();
    link.pending.notificationSent();
    wait();
    receive('{"jsonrpc":"2.0","id":1,"result":{}}');
    wait();
    receive('{"jsonrpc":"2.0","id":null,"error":{"code":-32601,"message":"Method not found"}}');
    expect(reported).toEqual(['result 1 {"jsonrpc":"2.0","id":1,"result":{}}', 'fail 2 BAD_ANSWER']);
  });

  test('are dropped after the request has expired', () => {
    const { reported, wait, receive } = open();
    wait(500);
    vi.advanceTimersByTime(600);
    receive('{"jsonrpc":"2.0","id":1,"result":{}}');
    expect(reported).toEqual(['expired 1']);
  });
});
