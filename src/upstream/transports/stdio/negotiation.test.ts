import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { frameText } from '../../../wire/frame.ts';
import { type OutgoingMessage, outgoingText } from '../../../wire/json/splice.ts';
import { createNegotiation } from './negotiation.ts';

const INITIALIZE = toLine({ id: 1, method: 'initialize', params: { capabilities: { roots: {} } } });
const ACCEPTED = toLine({ id: 1, result: { protocolVersion: '2025-11-25' } });
const REFUSED = toLine({ id: 1, error: { code: -32601, message: 'no' } });
const DISCOVERED = toLine({ id: 'discover', result: { supportedVersions: ['2026-07-28'] } });
const NOT_DISCOVERED = toLine({ id: 'discover', error: { code: -32601, message: 'no' } });
const INITIALIZED = toLine({ method: 'notifications/initialized' });

function toLine(message: object): string {
  return JSON.stringify({ jsonrpc: '2.0', ...message });
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe('a server that accepts initialize', () => {
  test('gets nothing else', () => {
    const { events, receive } = begin();
    receive(ACCEPTED);
    expect(events).toEqual(['sent initialize', 'legacy', ACCEPTED]);
  });

  test('is legacy as soon as another message is sent to it, in whatever form it accepted', () => {
    const { events, receive, negotiation } = begin();
    receive(`[${ACCEPTED}]`);
    negotiation.send(INITIALIZED);
    expect(events).toEqual(['sent initialize', `[${ACCEPTED}]`, 'legacy', 'sent notifications/initialized']);
  });

  test('may print text and send notifications before', () => {
    const { events, receive } = begin();
    for (const line of ['Listening on stdio', '{"jsonrpc":"2.0","method":"notifications/message"}', ACCEPTED])
      receive(line);
    expect(events.slice(-2)).toEqual(['legacy', ACCEPTED]);
    expect(events).toHaveLength(5);
  });

  test('gets initialize after server/discover if it was modern before', () => {
    const { events, receive } = begin({ isModernExpected: true });
    receive(NOT_DISCOVERED);
    receive(ACCEPTED);
    expect(events).toEqual(['sent server/discover', 'sent initialize', 'legacy', ACCEPTED]);
  });
});

describe('a server that refuses initialize', () => {
  test('is modern if it answers server/discover, which carries the envelope of the client', () => {
    const { events, sent, receive } = begin();
    receive(REFUSED);
    receive(DISCOVERED);
    expect(events).toEqual(['sent initialize', 'sent server/discover', 'modern']);
    expect(JSON.parse(sent[1] ?? '').params._meta).toMatchObject({
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': { roots: {} },
    });
    vi.advanceTimersByTime(60_000);
    expect(events).toHaveLength(3);
  });

  test.each([
    ['refuses server/discover', ({ receive }: Begun) => receive(NOT_DISCOVERED)],
    ['ignores server/discover', () => vi.advanceTimersByTime(5_000)],
    ['exits at server/discover', ({ negotiation }: Begun) => negotiation.end()],
    [
      'supports only other versions',
      ({ receive }: Begun) =>
        receive('{"jsonrpc":"2.0","id":"discover","result":{"supportedVersions":["2099-01-01"]}}'),
    ],
  ])('is reported with that refusal, once, if it %s', (_, react) => {
    const begun = begin();
    begun.receive(REFUSED);
    expect(begun.events).toEqual(['sent initialize', 'sent server/discover']);
    react(begun);
    expect(begun.events).toEqual(['sent initialize', 'sent server/discover', 'legacy', REFUSED]);
    vi.advanceTimersByTime(60_000);
    begun.negotiation.end();
    expect(begun.events).toHaveLength(4);
  });

  test('is reported at once if the code is not that of a modern server', () => {
    const { events, receive } = begin();
    const failed = REFUSED.replace('-32601', '-32603');
    receive(failed);
    expect(events).toEqual(['sent initialize', 'legacy', failed]);
  });

  test('delivers nothing after close', () => {
    const { events, receive, negotiation } = begin();
    receive(REFUSED);
    negotiation.close();
    vi.advanceTimersByTime(60_000);
    expect(events).toEqual(['sent initialize', 'sent server/discover']);
  });
});

test('a modern server that starts slowly is still modern', () => {
  const { events, receive } = begin({ isModernExpected: true });
  vi.advanceTimersByTime(5_000);
  receive(DISCOVERED);
  expect(events).toEqual(['sent server/discover', 'sent initialize', 'modern']);
});

type Begun = ReturnType<typeof begin>;

/** A negotiation that has begun. Records what is sent and delivered, and the verdict. */
function begin({ isModernExpected = false } = {}) {
  const events: string[] = [];
  const sent: string[] = [];
  const negotiation = createNegotiation({
    channel: {
      send(message: OutgoingMessage) {
        sent.push(outgoingText(message));
        events.push(`sent ${JSON.parse(outgoingText(message)).method}`);
      },
    },
    receiver: { frame: (frame) => void events.push(frameText(frame)) },
    isModernExpected,
    onLegacy: () => void events.push('legacy'),
    onModern: () => void events.push('modern'),
  });
  negotiation.send(INITIALIZE, { id: 1, sequence: 1, method: 'initialize', isSafeToResend: true });
  return { events, sent, negotiation, receive: (line: string) => negotiation.receive([Buffer.from(line)]) };
}
