import type { IncomingMessage } from 'node:http';
import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import type { AppError } from '../../../../base/errors.ts';
import { frameText } from '../../../../wire/frame.ts';
import type { TransportReceiver } from '../../transport.ts';
import type { ResponseReceiver } from '../exchange/exchange.ts';
import { openSession } from './session.ts';

const BAD_REQUEST = '{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"Bad Request"}}';

test('a server that rejects every request with 400 keeps its session', async () => {
  const { request, events } = await openInitialized();
  await request(2, 400, BAD_REQUEST);
  await request(3, 400, BAD_REQUEST);
  expect(events).toEqual([rejected(2), rejected(3)]);
});

test('a server that answered before and then rejects a request with 400 has lost its session', async () => {
  const { request, events } = await openInitialized();
  await request(2, 200, '{"jsonrpc":"2.0","id":2,"result":{}}');
  await request(3, 400, BAD_REQUEST);
  expect(events).toEqual([
    '{"jsonrpc":"2.0","id":2,"result":{}}',
    'end: CONNECTION_CLOSED example.com no longer knows this session.',
  ]);
});

function rejected(id: number): string {
  return `{"jsonrpc":"2.0","id":${id},"error":{"code":-32000,"message":"Bad Request"}}`;
}

/** A session after `initialize`, with a record of everything that it reports after that. */
async function openInitialized() {
  const events: string[] = [];
  const exchanges: ResponseReceiver[] = [];
  const receiver: TransportReceiver = {
    redact: (text) => text,
    frame: (frame) => void events.push(frameText(frame)),
    reportError: () => {},
    requestFailed: (id, { code }) => void events.push(`request ${id} failed: ${code}`),
    isPending: () => false,
    end: ({ code, message }: AppError) => void events.push(`end: ${code} ${message}`),
  };
  const session = openSession({
    where: 'example.com',
    receiver,
    startExchange(_, exchange) {
      exchanges.push(exchange);
      return { abort() {} };
    },
  });
  const request = async (id: number, statusCode: number, body: string, method = 'tools/list') => {
    session.send(`{"id":${id}}`, { id, sequence: session.nextSequence(), method, isSafeToResend: true });
    const headers = { 'content-type': 'application/json', 'mcp-session-id': 'a' };
    const stream = Object.assign(new PassThrough(), { statusCode, headers, complete: true });
    exchanges.at(-1)?.response(stream as unknown as IncomingMessage);
    stream.end(body);
    await new Promise((resolve) => stream.on('close', resolve));
  };
  await request(1, 200, '{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25"}}', 'initialize');
  events.length = 0;
  return { request, events };
}
