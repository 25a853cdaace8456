import type { IncomingMessage } from 'node:http';
import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { AppError } from '../../../base/errors.ts';
import { frameText } from '../../../wire/frame.ts';
import type { TransportReceiver } from '../transport.ts';
import type { ResponseReceiver } from './exchange/exchange.ts';
import type { PostHandler } from './post-request.ts';
import { createPosts } from './posts.ts';
import { createOpenResponses } from './response/open-responses.ts';

const request = { id: 7, sequence: 1, method: 'tools/call', isSafeToResend: false };
const post = { message: 'x'.repeat(100), headers: {}, request };

function open(handled: Partial<PostHandler> = {}) {
  const events: string[] = [];
  const exchanges: ResponseReceiver[] = [];
  const pending = new Set([7]);
  const note = (event: string) => void events.push(event);
  const receiver = {
    redact: (text: string) => text,
    isPending: (id: number) => pending.has(id),
    requestFailed: (id: number, { code }: AppError) => note(`request ${id} failed: ${code}`),
  } as TransportReceiver;
  const posts = createPosts({
    where: 'example.com',
    receiver,
    responses: createOpenResponses({}),
    startExchange(_, exchange) {
      exchanges.push(exchange);
      return { abort: () => note('aborted') };
    },
  });
  const handler: PostHandler = {
    frame(_, frame) {
      note(frameText(frame));
      pending.clear();
    },
    rejected: () => false,
    undelivered: () => false,
    interrupted: () => false,
    done: () => note('done'),
    ...handled,
  };
  const respond = async (statusCode: number, type: string, body: string) => {
    const stream = Object.assign(new PassThrough(), { statusCode, headers: { 'content-type': type }, complete: true });
    exchanges.at(-1)?.response(stream as unknown as IncomingMessage);
    stream.end(body);
    await new Promise((resolve) => stream.on('close', resolve));
  };
  return { posts, handler, events, respond, fail: (failure: AppError) => failed(exchanges.at(-1), failure) };
}

function failed(exchange: ResponseReceiver | undefined, error: AppError) {
  exchange?.failed({ error, isUndelivered: true, isForbidden: false });
}

test('a response goes to the handler, which then learns that the post is done', async () => {
  const { posts, handler, events, respond } = open();
  posts.send(post, handler);
  await respond(200, 'application/json', '{"id":7}');
  expect({ events, size: posts.size, queuedBytes: posts.queuedBytes }).toEqual({
    events: ['{"id":7}', 'done'],
    size: 0,
    queuedBytes: 0,
  });
});

test('a body that does not answer the request fails it', async () => {
  const { posts, handler, events, respond } = open({ frame() {} });
  posts.send(post, handler);
  await respond(200, 'application/json', '{"id":8}');
  expect(events).toEqual(['done', 'request 7 failed: BAD_ANSWER']);
});

test('an HTTP error with a JSON-RPC error is the response', async () => {
  const { posts, handler, events, respond } = open();
  posts.send(post, handler);
  await respond(400, 'application/json', '{"error":{"code":-1}}');
  expect(events).toEqual(['done', '{"jsonrpc":"2.0","id":7,"error":{"code":-1}}']);
});

test('a failure that the handler takes is not reported', () => {
  const { posts, handler, events, fail } = open({ undelivered: () => true });
  posts.send(post, handler);
  fail(new AppError('UNREACHABLE', 'gone'));
  expect(events).toEqual(['done']);
});

test('bytes of a request that is no longer needed do not wait for the server', () => {
  const { posts, handler, events } = open();
  posts.send(post, handler);
  expect(posts.queuedBytes).toBe(100);
  posts.forget(7);
  expect({ events, size: posts.size, queuedBytes: posts.queuedBytes }).toEqual({
    events: ['done', 'aborted'],
    size: 0,
    queuedBytes: 0,
  });
});

test('closed posts send nothing', () => {
  const { posts, handler, events } = open();
  posts.send(post, handler);
  posts.close();
  posts.send(post, handler);
  expect({ events, size: posts.size }).toEqual({ events: ['done', 'aborted'], size: 0 });
});
