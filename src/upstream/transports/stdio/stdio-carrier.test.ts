import { describe, expect, test } from 'vitest';
import { frameText } from '../../../wire/frame.ts';
import { type OutgoingMessage, outgoingText } from '../../../wire/json/splice.ts';
import type { Round } from '../modern/carrier.ts';
import { createPausable } from '../pausable.ts';
import { createStdioCarrier } from './stdio-carrier.ts';

describe('a response', () => {
  test.each([
    ['a number', 0, '{"jsonrpc":"2.0","id":7,"result":{}}'],
    ['a number as text', 0, '{"jsonrpc":"2.0","id":"7","result":{}}'],
    ['a number after the result', 0, '{"jsonrpc":"2.0","result":{},"id":7}'],
    ['the text of a later round', 2, '{"jsonrpc":"2.0","id":"7-2","result":{}}'],
    ['the text of a later round, in an error', 2, '{"error":{"code":1,"message":"no"},"id":"7-2","jsonrpc":"2.0"}'],
  ])('with %s as its id goes to its round, once', (_, number, line) => {
    const { carrier, events, receive } = open();
    carrier.send(round(7, number, events));
    receive(line);
    expect(events.splice(0)).toEqual([`sent ${number}`, `round ${number}: ${line}`]);
  });

  test('to an earlier round, or after the request was dropped, goes nowhere', () => {
    const { carrier, events, receive } = open();
    carrier.send(round(7, 2, events));
    receive('{"jsonrpc":"2.0","id":"7-1","result":{}}');
    carrier.forget(7);
    receive('{"jsonrpc":"2.0","id":"7-2","result":{}}');
    expect(events).toEqual(['sent 2']);
  });

  test('that nobody awaits goes to the connection, which knows what to do with it', () => {
    const { events, receive } = open();
    const lines = ['{"jsonrpc":"2.0","id":9,"result":{}}', '{"jsonrpc":"2.0","id":null,"error":{}}', 'no message'];
    for (const line of lines) receive(line);
    expect(events).toEqual(lines);
  });
});

test('a request of the server is not taken for the response to a request with the same id', () => {
  const { carrier, events, receive } = open();
  carrier.send(round(7, 0, events));
  const request = '{"jsonrpc":"2.0","id":7,"method":"ping"}';
  receive(request);
  expect(events).toEqual(['sent 0', request]);
});

test('a cancellation names the current round, and is not sent for a request that waits for input', () => {
  const { carrier, events, receive } = open();
  carrier.send(round(7, 1, events));
  carrier.cancel(7, { requestId: 7, reason: 'enough' });
  receive('{"jsonrpc":"2.0","id":"7-1","result":{"resultType":"input_required"}}');
  events.splice(0);
  carrier.cancel(7, { requestId: 7 });
  carrier.send(round(8, 1, events));
  carrier.cancel(8, { requestId: 8, reason: 'enough' });
  expect(events).toEqual([
    'sent 1',
    'sent {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"8-1","reason":"enough"}}',
  ]);
});

describe('a change stream', () => {
  const listen = (id: string) => ({ id, method: 'subscriptions/listen', text: `listen ${id}` });
  const changed = (id: string) =>
    `{"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":"${id}"}}}`;

  test('gets its notifications, and others go to the connection', () => {
    const { carrier, events, receive } = open();
    carrier.listen(listen('listen-1'), recordTo(events));
    receive(changed('listen-1'));
    receive('{"jsonrpc":"2.0","method":"notifications/progress","params":{}}');
    expect(events).toEqual([
      'sent listen listen-1',
      `stream: ${changed('listen-1')}`,
      '{"jsonrpc":"2.0","method":"notifications/progress","params":{}}',
    ]);
  });

  test('that the server ends is reported, and one that it refuses is not', () => {
    const { carrier, events, receive } = open();
    carrier.listen(listen('listen-1'), recordTo(events));
    receive('{"jsonrpc":"2.0","id":"listen-1","result":{}}');
    carrier.listen(listen('listen-2'), recordTo(events));
    receive('{"jsonrpc":"2.0","id":"listen-2","error":{"code":-32601,"message":"no"}}');
    expect(events).toEqual(['sent listen listen-1', 'stream ended', 'sent listen listen-2']);
  });

  test('is cancelled when it is closed, and its late messages are dropped', () => {
    const { carrier, events, receive } = open();
    const stream = carrier.listen(listen('listen-1'), recordTo(events));
    stream.close();
    stream.close();
    receive(changed('listen-1'));
    receive('{"jsonrpc":"2.0","id":"listen-1","result":{}}');
    expect(events).toEqual([
      'sent listen listen-1',
      'sent {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"listen-1"}}',
    ]);
  });
});

/** A carrier that records what is sent and delivered. */
function open() {
  const events: string[] = [];
  const carrier = createStdioCarrier({
    channel: { send: (message: OutgoingMessage) => void events.push(`sent ${outgoingText(message)}`) },
    pausable: createPausable(),
    receiver: {
      redact: (text) => text,
      frame: (frame) => void events.push(frameText(frame)),
      reportError() {},
      requestFailed() {},
      isPending: () => true,
      end() {},
    },
  });
  return { carrier, events, receive: (line: string) => carrier.receive([Buffer.from(line)]) };
}

function round(id: number, number: number, events: string[]): Round {
  return {
    number,
    request: { id, sequence: 1, method: 'tools/call', isSafeToResend: false },
    parsed: { bytes: Buffer.alloc(0), params: undefined },
    message: String(number),
    idText: number === 0 ? String(id) : `"${id}-${number}"`,
    frame: (frame) => void events.push(`round ${number}: ${frameText(frame)}`),
    isAwaitingInput: () => false,
  };
}

function recordTo(events: string[]) {
  return {
    frame: (frame: readonly Buffer[]) => void events.push(`stream: ${frameText([...frame])}`),
    ended: () => void events.push('stream ended'),
  };
}
