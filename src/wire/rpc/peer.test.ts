import fc from 'fast-check';
import { expect, test } from 'vitest';
import { propertyRuns } from '../../../test/property-runs.ts';
import { AppError } from '../../base/errors.ts';
import { MAX_RUNNING_REQUESTS } from './incoming-requests.ts';
import { createPeer, type PeerOptions } from './peer.ts';

const BUDGET = propertyRuns(500);

const awkwardIds = [
  '0',
  '""',
  '-1',
  '1.5',
  '-0',
  '9007199254740993',
  '1e400',
  '-1e400',
  '1E2',
  '1.0',
  '"\\ud800"',
  '"\\u0069"',
];
const idText = fc.oneof(
  fc.constantFrom(...awkwardIds),
  fc.bigInt().map(String),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((id) => JSON.stringify(id)),
  fc.array(fc.integer({ min: 0, max: 0xffff })).map((units) => JSON.stringify(String.fromCharCode(...units))),
);
const someId = fc.oneof(
  fc.constantFrom(0, 1, 2, '1', '', null, true, { toString: 0, valueOf: 0 }),
  fc.jsonValue({ maxDepth: 1 }),
);
const someMessage = fc.record(
  {
    jsonrpc: fc.constantFrom('2.0', 1),
    id: someId,
    method: fc.oneof(
      fc.constantFrom('ping', 'notifications/cancelled', 'notifications/progress'),
      fc.jsonValue({ maxDepth: 1 }),
    ),
    params: fc.oneof(fc.record({ requestId: someId, progressToken: someId }), fc.jsonValue({ maxDepth: 2 })),
    result: fc.jsonValue({ maxDepth: 1 }),
    error: fc.oneof(fc.record({ code: someId, message: someId }), fc.jsonValue({ maxDepth: 1 })),
  },
  { requiredKeys: [] },
);

test('receives any JSON value without throwing, and sends at most one response, and exactly one to a request', () => {
  const anyMessage = fc.oneof(someMessage, fc.array(someMessage, { maxLength: 4 }), fc.jsonValue());
  fc.assert(
    fc.property(anyMessage, (message) => {
      const { peer, sent } = open();
      peer.request('waits', {}, { onProgress: () => undefined }).catch(() => undefined);
      sent.length = 0;
      peer.receive(JSON.stringify(message));
      peer.close();
      expect(sent.length).toBeLessThanOrEqual(1);
      const messages: readonly unknown[] = Array.isArray(message) ? message : [message];
      // With a result or an error and an id that we wait for, this is a malformed response, not a request.
      const requests = messages.filter(isRequest).filter((request) => !('result' in request || 'error' in request));
      const answers = sent.flatMap((text) => JSON.parse(text)).filter(({ id }) => id !== null);
      for (const { id } of requests) expect(answers.some((answer) => answer.id === id)).toBe(true);
    }),
    BUDGET,
  );
});

test('receives any text without throwing', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        fc.json().map((text) => text.slice(1)),
      ),
      (text) => {
        const { peer, sent } = open();
        peer.receive(text);
        expect(sent.length).toBeLessThanOrEqual(1);
      },
    ),
    BUDGET,
  );
});

test('returns an id as it was sent, alone and in a batch', () => {
  fc.assert(
    fc.property(idText, (id) => {
      const { peer, sent } = open({ onRequest: () => ({}) });
      peer.receive(`{"jsonrpc":"2.0","id":${id},"method":"m","params":{"id":5}}`);
      peer.receive(`[ {"method":"n"} ,{"x":[1,{}], "id" : ${id},"method":"m"}]`);
      expect(sent).toHaveLength(2);
      for (const text of sent) expect(sameId(returnedId(text), id)).toBe(true);
    }),
    BUDGET,
  );
});

test('reports an invalid message to onInvalidMessage instead of responding', () => {
  const received: string[] = [];
  const { peer, sent } = open({ onInvalidMessage: ({ code }) => received.push(code) });
  peer.receive('INFO starting up');
  expect({ received, sent }).toEqual({ received: ['PARSE_FAILED'], sent: [] });
});

test('reports an error about an invalid message under its id', () => {
  const { peer, sent } = open();
  peer.receive('{"jsonrpc":"2.0","id":9007199254740993,"method":5}');
  expect(sent).toEqual([expect.stringContaining('"id":9007199254740993,"error":{"code":-32601')]);
});

test.each<[string, PeerOptions['onRequest'], unknown]>([
  ['throws', () => fail('no'), { code: -32603, message: 'no' }],
  ['rejects', () => Promise.reject(new AppError('INVALID_PARAMS', 'bad')), { code: -32602, message: 'bad' }],
  ['throws undefined', () => Promise.reject(undefined), { code: -32603, message: 'undefined' }],
  [
    'throws data that is not JSON',
    () => fail(new AppError('BUSY', 'x', { data: { n: 1n } })),
    { code: 1034, message: 'x' },
  ],
  ['throws an unreadable value', () => fail(hostile), { code: -32603, message: expect.any(String) }],
  ['returns a BigInt', () => ({ n: 1n }), { code: -32603, message: expect.any(String) }],
  ['returns a circular structure', () => cycle(), { code: -32603, message: expect.any(String) }],
  ['returns a thenable that throws', () => thenable(() => fail('then')), { code: -32603, message: 'then' }],
])('a handler that %s gets one error response', async (_, onRequest, error) => {
  const { peer, sent } = open({ onRequest });
  peer.receive('{"jsonrpc":"2.0","id":1,"method":"m"}');
  await peer.whenIdle();
  expect(sent.map((text) => JSON.parse(text))).toEqual([{ jsonrpc: '2.0', id: 1, error }]);
});

test('a thenable that settles twice gets one response', async () => {
  const twice = thenable((resolve, reject) => {
    resolve('first');
    resolve('second');
    reject(new Error('third'));
  });
  const { peer, sent } = open({ onRequest: () => twice });
  peer.receive('{"jsonrpc":"2.0","id":1,"method":"m"}');
  await peer.whenIdle();
  expect(sent).toEqual(['{"jsonrpc":"2.0","id":1,"result":"first"}']);
});

test('responds even if the error translation fails', () => {
  const { peer, sent } = open({ onRequest: () => fail('no'), toError: () => fail('worse') });
  peer.receive('{"jsonrpc":"2.0","id":1,"method":"m"}');
  expect(JSON.parse(sent[0] ?? '')).toMatchObject({ id: 1, error: { code: -32603 } });
});

test('a notification listener that throws does not stop the next message', () => {
  const { peer, sent } = open({ onNotification: () => fail('no'), onRequest: () => 1 });
  peer.receive('{"jsonrpc":"2.0","method":"n"}');
  peer.receive('{"jsonrpc":"2.0","id":1,"method":"m"}');
  expect(sent).toEqual(['{"jsonrpc":"2.0","id":1,"result":1}']);
});

test('rejects requests over the limit as busy, even with the same id', () => {
  const { peer, sent } = open({ onRequest: () => new Promise(() => undefined) });
  for (let count = 0; count < MAX_RUNNING_REQUESTS; count++) peer.receive('{"jsonrpc":"2.0","id":1,"method":"m"}');
  expect(sent).toEqual([]);
  peer.receive('{"jsonrpc":"2.0","id":2,"method":"m"}');
  expect(JSON.parse(sent[0] ?? '')).toMatchObject({ id: 2, error: { code: 1034 } });
});

test('handles JSON 10 000 levels deep without throwing', () => {
  const deep = '{"a":['.repeat(10_000) + ']}'.repeat(10_000);
  const { peer, sent } = open({ onRequest: ({ params }) => params });
  peer.receive(`{"jsonrpc":"2.0","id":1,"method":"m","params":${deep}}`);
  peer.receive(`[{"jsonrpc":"2.0","id":1.5,"method":"m","params":${deep}}]`);
  peer.receive(deep);
  expect(sent).toHaveLength(3);
});

test('treats __proto__ as an ordinary key of params', () => {
  const { peer, sent } = open({ onRequest: ({ params }) => params });
  peer.receive('{"id":1,"method":"m","params":{"__proto__":{"polluted":true}},"__proto__":{"id":2,"method":"x"}}');
  expect(sent).toEqual(['{"jsonrpc":"2.0","id":1,"result":{"__proto__":{"polluted":true}}}']);
  expect('polluted' in {}).toBe(false);
});

const hostile = Object.defineProperty(new Error('x'), 'message', { get: () => fail('message') });

function open(options: Partial<PeerOptions> = {}) {
  const sent: string[] = [];
  const peer = createPeer({
    send: (text) => sent.push(text),
    onRequest: () => ({}),
    onNotification: () => undefined,
    ...options,
  });
  return { peer, sent };
}

function fail(thrown: unknown): never {
  throw thrown;
}

function cycle(): unknown {
  const value: Record<string, unknown> = {};
  value['self'] = value;
  return value;
}

function thenable(then: (resolve: (value: unknown) => void, reject: (error: unknown) => void) => void): unknown {
  return Object.fromEntries([['then', then]]);
}

function isRequest(message: unknown): message is { id: unknown } {
  if (typeof message !== 'object' || message === null || !('method' in message) || !('id' in message)) return false;
  return typeof message.method === 'string' && (typeof message.id === 'number' || typeof message.id === 'string');
}

function returnedId(text: string): string {
  return /^\[?\{"jsonrpc":"2\.0","id":(.*),"result":\{\}\}\]?$/s.exec(text)?.[1] ?? 'none';
}

function sameId(returned: string, sent: string): boolean {
  if (returned === sent) return true;
  // Written differently, but equal: 1.0 and 1, "\u0069" and "i".
  const value: unknown = JSON.parse(sent);
  return JSON.parse(returned) === value && (typeof value === 'string' || Number.isSafeInteger(value));
}

test('a request with null result and error is a request, even under a pending id', () => {
  const { peer, sent } = open({ onRequest: () => ({}) });
  const waiting = peer.request('elicitation/create', {}).catch(() => 'failed');
  sent.length = 0;
  peer.receive('{"id":1,"method":"tools/call","result":null,"error":null}');
  expect(sent).toEqual(['{"jsonrpc":"2.0","id":1,"result":{}}']);
  peer.receive('{"id":1,"result":"yes"}');
  return expect(waiting).resolves.toBe('yes');
});

test('replaces batch responses over the size limit with errors, one by one', () => {
  const large = 'x'.repeat(40 * 1024 * 1024);
  const { peer, sent } = open({ onRequest: () => large });
  peer.receive('[{"id":"a","method":"m"},{"id":"b","method":"m"}]');
  expect(JSON.parse(sent[0] ?? '')).toEqual([
    { jsonrpc: '2.0', id: 'a', result: large },
    { jsonrpc: '2.0', id: 'b', error: { code: 1034, message: expect.stringContaining('too large together') } },
  ]);
});
