import { describe, expect, test } from 'vitest';
import { frameText } from '../../../wire/frame.ts';
import { createInputRequests } from './input-requests.ts';

const ELICIT = { method: 'elicitation/create', params: { message: 'Who?', _meta: { a: 1 } } };

function setUp() {
  const messages: Record<string, unknown>[] = [];
  /** The call that each message belongs to. */
  const because: number[] = [];
  const questions = createInputRequests((frame, callId) => {
    messages.push(JSON.parse(frameText(frame)));
    because.push(callId);
  });
  const ask = async (requests: Readonly<Record<string, unknown>>, callId = 7) => {
    const texts = new Map(Object.entries(requests).map(([key, request]) => [key, JSON.stringify(request)]));
    const answers = await questions.request(callId, { requests: texts, stateText: undefined });
    return Object.fromEntries([...answers].map(([key, json]) => [key, JSON.parse(json)]));
  };
  const answered = (message: Record<string, unknown>) => questions.receiveResponse(message, JSON.stringify(message));
  return { messages, because, questions, ask, answered };
}

describe('an invalid input request', () => {
  test.each([
    ['with an unknown method', { a: { method: 'tools/call', params: {} } }],
    ['without a method', { a: { params: {} } }],
    ['that is not a request', { a: 'Who?' }],
    ['next to a valid one', { a: ELICIT, b: { method: 'sampling/other' } }],
  ])('%s: sends no requests to the client', async (_, requests) => {
    const { messages, ask, answered } = setUp();
    await expect(ask(requests)).rejects.toMatchObject({
      code: 'BAD_ANSWER',
      message: 'The server sent an input request that no client supports.',
    });
    expect(messages).toEqual([]);
    expect(answered({ id: 'input-7-1', result: {} })).toBe(false);
  });

  test('is one of too many', async () => {
    const { messages, ask } = setUp();
    const many = Object.fromEntries(Array.from({ length: 33 }, (_, index) => [`q${index}`, ELICIT]));
    await expect(ask(many)).rejects.toMatchObject({
      code: 'BAD_ANSWER',
      message: 'The server sent 33 input requests at once.',
    });
    expect(messages).toEqual([]);
  });
});

test('an error of the client ends the call and its other requests', async () => {
  const { messages, ask, answered } = setUp();
  const asked = ask({ a: ELICIT, b: { method: 'roots/list' } });
  const [first, second] = messages;
  expect(answered({ id: first?.['id'], error: { code: -32601, message: 'not here' } })).toBe(true);
  await expect(asked).rejects.toMatchObject({
    code: 'CAPABILITY_MISSING',
    message: 'The client did not answer the question from the server: not here',
  });
  expect(answered({ id: second?.['id'], result: {} })).toBe(false);
});

test('a cancelled call withdraws its own requests and no others', async () => {
  const { messages, ask, questions, answered } = setUp();
  const given = ask({ a: ELICIT, b: ELICIT }, 7);
  const other = ask({ a: ELICIT }, 8);
  const [first, second, third] = messages.map(({ id }) => id);
  messages.length = 0;
  questions.cancel(7);
  await expect(given).rejects.toMatchObject({ code: 'CANCELLED' });
  expect(messages).toEqual(
    [first, second].map((requestId) => ({
      jsonrpc: '2.0',
      method: 'notifications/cancelled',
      params: { requestId, reason: 'the call was cancelled' },
    })),
  );
  expect(answered({ id: first, result: {} })).toBe(false);
  expect(answered({ id: third, result: { action: 'accept' } })).toBe(true);
  expect(await other).toEqual({ a: { action: 'accept' } });
});

test('each request names its call, and is answered under the key of the server', async () => {
  const { messages, because, ask, answered } = setUp();
  const sampling = { method: 'sampling/createMessage', params: { messages: [] } };
  const asked = ask({ who: ELICIT, 'what ü': sampling, where: { method: 'roots/list' } });
  expect(messages).toEqual([
    { jsonrpc: '2.0', id: 'input-7-1:who', method: 'elicitation/create', params: ELICIT.params },
    { jsonrpc: '2.0', id: 'input-7-2:what ü', method: 'sampling/createMessage', params: { messages: [] } },
    { jsonrpc: '2.0', id: 'input-7-3:where', method: 'roots/list' },
  ]);
  expect(because).toEqual([7, 7, 7]);
  expect(answered({ id: 'input-7-3:where', result: { roots: [] } })).toBe(true);
  expect(answered({ id: 'input-7-1:who', result: { action: 'decline' } })).toBe(true);
  expect(answered({ id: 'input-7-1:who', result: { action: 'accept' } })).toBe(false);
  expect(answered({ id: 'input-7-2:what ü', result: { role: 'assistant' } })).toBe(true);
  expect(await asked).toEqual({ who: { action: 'decline' }, 'what ü': { role: 'assistant' }, where: { roots: [] } });
});

test('treats __proto__ as an ordinary key', async () => {
  const { ask, answered } = setUp();
  const asked = ask(JSON.parse('{"__proto__":{"method":"roots/list"}}'));
  answered({ id: 'input-7-1:__proto__', result: { roots: [] } });
  expect(JSON.stringify(await asked)).toBe('{"__proto__":{"roots":[]}}');
});

test('answers an empty list of requests at once', async () => {
  expect(await setUp().ask({})).toEqual({});
});

test.each([{ id: 'input-1-1' }, { id: 1 }, {}, { id: null }])('%j answers none of our requests', (message) => {
  expect(setUp().answered({ ...message, result: {} })).toBe(false);
});

test('forwards requests and answers byte for byte', async () => {
  const texts: string[] = [];
  const questions = createInputRequests((frame) => void texts.push(frameText(frame)));
  const exact = '{"message":"Who?","big":9007199254740993,"float":1.0,"huge":1e400}';
  const asked = questions.request(1, {
    requests: new Map([['a', `{"method":"elicitation/create","params":${exact}}`]]),
    stateText: undefined,
  });
  expect(texts).toEqual([`{"jsonrpc":"2.0","id":"input-1-1:a","method":"elicitation/create","params":${exact}}`]);
  const answer = `{"jsonrpc":"2.0","id":"input-1-1:a","result":${exact}}`;
  expect(questions.receiveResponse(JSON.parse(answer), answer)).toBe(true);
  expect(await asked).toEqual(new Map([['a', exact]]));
});
