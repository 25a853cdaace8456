import { once } from 'node:events';
import { createServer, get, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import {
  type Body,
  type BodyLimits,
  readBody,
  readBodyStart,
} from '../../src/upstream/transports/http/response/body.ts';
import { frameLength } from '../../src/wire/frame.ts';
import { createByteBudget } from '../../src/wire/stream/byte-budget.ts';

const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

/** The response of a server that sends this much, and ends it or not. */
async function answer(bytes: number, { ends }: { readonly ends: boolean }): Promise<IncomingMessage> {
  const server = createServer((_, response) => {
    response.write(Buffer.alloc(bytes, 'x'));
    if (ends) response.end();
  }).listen(0, '127.0.0.1');
  closers.push(() => {
    server.closeAllConnections();
    server.close();
  });
  await once(server, 'listening');
  const [response] = await once(get({ host: '127.0.0.1', port: (server.address() as AddressInfo).port }), 'response');
  return response;
}

const read = (response: IncomingMessage, limits: BodyLimits) =>
  new Promise<Body>((resolve) => readBody(response, limits, resolve));

test('a body over its limit is aborted', async () => {
  const body = await read(await answer(2_000, { ends: false }), { maxBytes: 1_000 });
  expect(body).toMatchObject({ error: { code: 'MESSAGE_TOO_LARGE' } });
});

test('if bodies together exceed the budget, the largest is aborted and the others are read', async () => {
  const budget = createByteBudget(300_000);
  const [large, small] = await Promise.all([
    read(await answer(280_000, { ends: false }), { maxBytes: 1_000_000, budget }),
    read(await answer(100_000, { ends: true }), { maxBytes: 1_000_000, budget }),
  ]);
  expect(large).toMatchObject({ error: { code: 'MESSAGE_TOO_LARGE' } });
  expect('frame' in small && frameLength(small.frame)).toBe(100_000);
});

test('a finished body releases its share of the budget', async () => {
  const budget = createByteBudget(200_000);
  for (const _ of [1, 2, 3]) {
    const body = await read(await answer(150_000, { ends: true }), { maxBytes: 1_000_000, budget });
    expect('frame' in body && frameLength(body.frame)).toBe(150_000);
  }
});

test('reading the start of an endless body does not wait for its end', async () => {
  const response = await answer(10, { ends: false });
  expect(await new Promise((resolve) => readBodyStart(response, resolve))).toBe('x'.repeat(10));
  expect(response.destroyed).toBe(true);
});
