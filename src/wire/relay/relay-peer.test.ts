import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { frameText } from '../frame.ts';
import { createRelayPeer, type RelayedRequest, type RelayReceiver } from './relay-peer.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** A link, and a record of all that it tells anybody. */
function open(more: Partial<RelayReceiver> = {}) {
  const told: string[] = [];
  const link = createRelayPeer({
    request: ({ method }, frame) => told.push(`request ${String(method)} ${frameText(frame)}`),
    notification: ({ method }, frame) => told.push(`notification ${String(method)} ${frameText(frame)}`),
    invalidMessage: ({ code }) => told.push(`unreadable ${code}`),
    expired: (id) => told.push(`expired ${id}`),
    ...more,
  });
  const wait = (timeoutMs = 1_000): number => {
    const id = link.pending.nextId();
    const who: RelayedRequest = {
      method: 'm',
      result: (result) => told.push(`result ${id} ${frameText(result.frame)}`),
      response: (_, frame) => told.push(`answer ${id} ${frameText(frame)}`),
      fail: ({ code }) => told.push(`fail ${id} ${code}`),
      progress: ({ progress }) => told.push(`progress ${id} ${progress}`),
    };
    link.pending.add(id, who, timeoutMs);
    return id;
  };
  const hear = (text: string) => link.receive([Buffer.from(text)]);
  return { link, told, wait, hear };
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
  ])('%s is told as it is', (text, expected) => {
    const { told, hear } = open();
    hear(text);
    expect(told).toEqual([expected]);
  });

  test('several in one are taken for themselves, and one in them that is broken costs no other', () => {
    const { told, wait, hear } = open();
    wait();
    hear('[{"method":"a"},7,[{"method":"b"}],{"jsonrpc":"2.0","id":1,"result":{}},{"id":2,"method":"c"}]');
    expect(told).toEqual([
      'notification a {"method":"a"}',
      'unreadable INVALID_REQUEST',
      'unreadable INVALID_REQUEST',
      'result 1 {"jsonrpc":"2.0","id":1,"result":{}}',
      'request c {"id":2,"method":"c"}',
    ]);
  });

  test('ten thousand lists in each other are one that is broken', () => {
    const { told, hear } = open();
    hear('['.repeat(10_000) + ']'.repeat(10_000));
    expect(told).toEqual(['unreadable INVALID_REQUEST']);
  });

  test('whoever wants several in one gets them together', () => {
    const batches: unknown[] = [];
    const { told, hear } = open({ batch: (messages, text) => batches.push([messages, text]) });
    hear('[{"method":"a"}, 7]');
    expect([told, batches]).toEqual([[], [[[{ method: 'a' }, 7], '[{"method":"a"}, 7]']]]);
  });
});

describe('answers', () => {
  test('a result reaches the one who waits for it, once, and nobody else', () => {
    const { told, wait, hear } = open();
    wait();
    wait();
    hear('{"jsonrpc":"2.0","id":2,"result":{}}');
    hear('{"jsonrpc":"2.0","id":2,"result":{}}');
    hear('{"jsonrpc":"2.0","id":99,"result":{}}');
    expect(told).toEqual(['result 2 {"jsonrpc":"2.0","id":2,"result":{}}']);
  });

  test.each([
    '{"jsonrpc":"2.0","id":1,"error":{"code":-1,"message":"no"}}',
    '{"jsonrpc":"2.0","id":"1","result":{}}',
    '{"jsonrpc":"2.0","id":1,"result":{},"error":{"code":-1,"message":"no"}}',
    '{"jsonrpc":"2.0","id":1}',
    '{"jsonrpc":"2.0","id":1,"method":"m","result":{}}',
  ])('whatever else answers an id that is waited for reaches the one who waits: %s', (text) => {
    const { told, wait, hear } = open();
    wait();
    hear(text);
    expect(told).toEqual([`answer 1 ${text}`]);
  });

  test('an answer without an id may be anybody’s: everyone who waits is told', () => {
    const { told, wait, hear } = open();
    wait();
    wait();
    hear('{"jsonrpc":"2.0","error":{"code":-32700,"message":"Parse error"}}');
    expect(told).toEqual(['fail 1 BAD_ANSWER', 'fail 2 BAD_ANSWER']);
  });

  test('an answer without an id to a notification of ours concerns nobody', () => {
    const { link, told, wait, hear } = open();
    wait();
    link.pending.notificationSent();
    hear('{"jsonrpc":"2.0","id":null,"error":{"code":-32601,"message":"Method not found"}}');
    expect(told).toEqual([]);
    hear('{"jsonrpc":"2.0","id":null,"error":{"code":-32601,"message":"Method not found"}}');
    expect(told).toEqual(['fail 1 BAD_ANSWER']);
  });

  test('one whose time is over is named, and its late answer is dropped', () => {
    const { told, wait, hear } = open();
    wait(500);
    vi.advanceTimersByTime(600);
    hear('{"jsonrpc":"2.0","id":1,"result":{}}');
    expect(told).toEqual(['expired 1']);
  });
});
