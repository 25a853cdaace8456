import { describe, expect, test } from 'vitest';
import { AppError } from '../../base/errors.ts';
import { createRedact } from '../../base/redaction/redact.ts';
import type { TransportReceiver, UpstreamTransport } from '../../upstream/transports/transport.ts';
import type { OutgoingMessage } from '../../wire/json/splice.ts';
import { createTrace } from './trace.ts';

const TIME = '2026-01-02T03:04:05.678Z';

/** An in-memory trace in front of a server that records what it receives. */
async function traced({ secrets = [] as readonly string[] } = {}) {
  const lines: string[] = [];
  const sent: OutgoingMessage[] = [];
  const received: unknown[] = [];
  const sink = { isOpen: true, write: (line: string) => void lines.push(line), close: async () => {} };
  const trace = createTrace({ sink, redact: createRedact(secrets), now: () => Date.parse(TIME) });
  const transport: UpstreamTransport = {
    where: 'pid 7',
    send: (message) => void sent.push(message),
    queuedBytes: () => 1,
    nextSequence: () => 2,
    isUnsent: () => true,
    pause: () => {},
    resume: () => {},
    stderrTail: () => ['last'],
    close: async () => {},
  };
  let server: TransportReceiver | undefined;
  const open = trace.tapTransport('one', async (receiver) => {
    server = receiver;
    return transport;
  });
  const receiver: TransportReceiver = {
    redact: (text: string) => text,
    frame: (frame) => void received.push(frame),
    reportError: (error) => void received.push(error),
    requestFailed: (id, reason) => void received.push([id, reason]),
    isPending: () => false,
    end: (reason) => void received.push(reason),
  };
  const upstream = await open(receiver);
  if (server === undefined) throw new Error('The server was not opened.');
  const entries = () => lines.map((line) => JSON.parse(line));
  return { trace, sink, lines, entries, sent, received, upstream, transport, server };
}

describe('a traced server', () => {
  test('sends and receives the same messages in the same order as without a trace', async () => {
    const { upstream, transport, server, sent, received } = await traced();
    const frame = [Buffer.from('{"a":'), Buffer.from('1}')];
    const spliced = { pieces: ['{"id":', Buffer.from('1}')], bytes: 8 };
    const fault = new AppError('MESSAGE_TOO_LARGE', 'too large');
    const end = new AppError('PROCESS_EXITED', 'gone');
    upstream.send('{}');
    upstream.send(spliced);
    server.frame(frame);
    server.reportError(fault);
    server.end(end);
    expect(sent).toEqual(['{}', spliced]);
    expect(received).toEqual([frame, fault, end]);
    expect(received[0]).toBe(frame);
    expect({ ...upstream, send: undefined }).toEqual({ ...transport, send: undefined });
  });

  test('has a line for each message, with time, direction and size', async () => {
    const { upstream, server, entries } = await traced();
    upstream.send('{"id":1,"method":"é"}');
    upstream.send({ pieces: ['{"id":', Buffer.from('2}')], bytes: 8 });
    server.frame([Buffer.from('{"id":1,'), Buffer.from('"result":{"n":9007199254740993}}')]);
    server.reportError(new AppError('MESSAGE_TOO_LARGE', 'a message of 2 GiB'));
    server.end(new AppError('PROCESS_EXITED', 'it was ended by SIGKILL'));
    const who = { time: TIME, side: 'server', server: 'one' };
    expect(entries()).toEqual([
      { ...who, note: 'started: pid 7' },
      { ...who, direction: 'out', bytes: 22, message: { id: 1, method: 'é' } },
      { ...who, direction: 'out', bytes: 8, message: { id: 2 } },
      { ...who, direction: 'in', bytes: 40, message: { id: 1, result: { n: Number('9007199254740993') } } },
      { ...who, note: 'left out: a message of 2 GiB' },
      { ...who, note: 'ended: it was ended by SIGKILL' },
    ]);
  });

  test('is recorded byte for byte', async () => {
    const { server, lines } = await traced();
    const text = '{"n":9007199254740993,"f":1.0,"e":1e400,"a":1,"a":2,"__proto__":{}}';
    server.frame([Buffer.from(text)]);
    expect(lines[1]).toContain(`"message":${text}}`);
  });
});

test('clients have their own lines, each with its number', async () => {
  const { trace, entries } = await traced();
  const reported: unknown[] = [];
  for (const id of [1, 2]) {
    const tap = trace.tapClient();
    const frame = [Buffer.from(`{"id":${id}}`)];
    tap.receive((got) => reported.push(got))(frame);
    tap.send((message) => reported.push(message))(`{"id":${id},"result":{}}`);
    expect(reported.splice(0)).toEqual([frame, `{"id":${id},"result":{}}`]);
  }
  expect(entries().slice(1)).toEqual(
    [1, 2].flatMap((id) => [
      { time: TIME, side: 'client', client: id, direction: 'in', bytes: 8, message: { id } },
      { time: TIME, side: 'client', client: id, direction: 'out', bytes: 20, message: { id, result: {} } },
    ]),
  );
});

describe('writes one line per message', () => {
  test.each([
    ['with line breaks between members', '{"a":\r\n1}', { message: { a: 1 } }],
    ['that is not JSON', 'Listening on\n"port" 8080', { text: 'Listening on\n"port" 8080' }],
    ['that is not UTF-8', Buffer.from([0xff, 0x41]), { text: '\ufffdA' }],
    ['whose number was redacted', '{"n":1234567}', { text: '{"n":***}' }],
  ])('%s', async (_, message, expected) => {
    const { server, lines, entries } = await traced({ secrets: ['1234567'] });
    server.frame([Buffer.from(message)]);
    expect(lines[1]).not.toMatch(/[\r\n]/);
    expect(entries()[1]).toMatchObject(expected);
  });

  test.each([
    ['in chunks', (text: string) => text.match(/.{1,5000}/gs)?.map((piece) => Buffer.from(piece)) ?? []],
    ['in one chunk', (text: string) => [Buffer.from(text)]],
  ])('truncated when long, %s, without exposing a secret at the cut', async (_, toFrame) => {
    const secret = 'abcdefghij'.repeat(90);
    for (const at of [65_000, 65_500, 72_900, 73_500]) {
      const { server, entries } = await traced({ secrets: [secret] });
      const text = `${'x'.repeat(at)}${secret}${'y'.repeat(10_000)}`;
      server.frame(toFrame(text));
      const { bytes, isShortened, text: kept } = entries()[1];
      expect({ bytes, isShortened }).toEqual({ bytes: text.length, isShortened: true });
      expect(kept).toMatch(/^x{60000}/);
      expect(kept).not.toContain('abc');
      expect(kept.length).toBeLessThanOrEqual(64 * 1024);
    }
  });
});

test('redacts secrets in messages and notes', async () => {
  const { upstream, server, lines } = await traced({ secrets: ['s3cr3t-value'] });
  upstream.send('{"arguments":{"a":"s3cr3t-value","password":"other"}}');
  server.end(new AppError('PROCESS_EXITED', 'it ended: cannot sign in with s3cr3t-value'));
  expect(lines.join('\n')).not.toMatch(/s3cr3t|other/);
  expect(lines).toHaveLength(3);
});

test('skips formatting when the sink is closed', async () => {
  const { upstream, sink, lines, sent } = await traced();
  sink.isOpen = false;
  upstream.send('{}');
  expect(lines).toHaveLength(1);
  expect(sent).toEqual(['{}']);
});
