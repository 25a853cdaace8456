import { PassThrough, Writable } from 'node:stream';
import { afterEach, expect, test, vi } from 'vitest';
import { type Frame, frameText } from '../frame.ts';
import { createByteBudget } from './byte-budget.ts';
import { openStreamChannel, type StreamChannel, type StreamChannelOptions } from './stream-channel.ts';

afterEach(() => {
  vi.useRealTimers();
});

test('responds with Content-Length from the first message if the client starts with it', async () => {
  const { input, output, received } = open({ onFrame: (frame, channel) => channel.send(`"${frameText(frame)}é"`) });
  for (const byte of Buffer.from('Content-Length: 2\r\n\r\n{}')) input.write(Buffer.from([byte]));
  await turn();
  expect(received).toEqual(['frame {}']);
  expect(String(output.read())).toBe('Content-Length: 6\r\n\r\n"{}é"');
});

test('responds in lines to a client that writes lines', async () => {
  const { input, output } = open({ onFrame: (frame, channel) => channel.send({ pieces: [...frame], bytes: 2 }) });
  input.write('{}\n[]\n');
  await turn();
  expect(String(output.read())).toBe('{}\n[]\n');
});

test('returns the partial line at the end of the input', async () => {
  const { input, received } = open();
  input.end('{}\n{"half"');
  await turn();
  expect(received).toEqual(['frame {}', 'end {"half"']);
});

test('reports a message over the limit, and continues reading', async () => {
  const { input, received } = open({ maxMessageBytes: 10 });
  input.write(`${'x'.repeat(11)}\n{}\n`);
  await turn();
  expect(received).toEqual(['fault MESSAGE_TOO_LARGE', 'frame {}']);
});

test('stops processing, and then reading, while the other side does not read', async () => {
  const output = new PassThrough({ highWaterMark: 16 });
  const answer = JSON.stringify('x'.repeat(300_000));
  const { input, received } = open({ output, onFrame: (_, channel) => channel.send(answer) });
  for (let count = 0; count < 40; count++) {
    input.write('{}\n');
    await turn();
  }
  const heardWhileFull = received.length;
  expect(heardWhileFull).toBeLessThan(10);
  expect(input.isPaused()).toBe(false);
  input.write(`"${'x'.repeat(1024 * 1024)}"\n`);
  await turn();
  expect(input.isPaused()).toBe(true);
  output.resume();
  await until(() => received.length === 41);
  expect(input.isPaused()).toBe(false);
});

test('after the end of the input, delivers everything to a side that reads slowly, however long it takes', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const output = new PassThrough({ highWaterMark: 16 });
  const answer = JSON.stringify('x'.repeat(2 * 1024 * 1024));
  const { input, received } = open({ output, onFrame: (_, channel) => channel.send(answer) });
  const frames = Array.from({ length: 12 }, () => 'frame {}');
  input.end('{}\n'.repeat(frames.length));
  await turn();
  while (received.length < frames.length) {
    vi.advanceTimersByTime(20_000);
    const before = received.length;
    while (received.length === before) {
      output.read();
      await turn();
    }
  }
  await until(() => received.length > frames.length);
  expect(received).toEqual([...frames, 'end']);
});

test('after the end of the input, gives up on a side that reads nothing', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const output = new PassThrough({ highWaterMark: 16 });
  const answer = JSON.stringify('x'.repeat(2 * 1024 * 1024));
  const { input, received } = open({ output, onFrame: (_, channel) => channel.send(answer) });
  input.end('{}\n'.repeat(4));
  await turn();
  vi.advanceTimersByTime(30_000);
  expect(received).toEqual(['frame {}', 'frame {}', 'end BUSY']);
});

test('a broken output ends the channel once, and later messages are ignored', async () => {
  const broken = new Writable({
    write: (_chunk, _encoding, done) => done(Object.assign(new Error('write EPIPE'), { code: 'EPIPE' })),
  });
  const { input, channel, received } = open({ output: broken });
  channel.send('1');
  channel.flush();
  channel.send('2');
  await turn();
  input.write('{}\n');
  channel.send('3');
  input.destroy(new Error('broken too'));
  await turn();
  expect(received).toEqual(['end']);
});

test('an output closed without an error ends the channel too', async () => {
  const output = new PassThrough();
  const { received } = open({ output });
  output.destroy();
  await turn();
  expect(received).toEqual(['end']);
});

test('reads everything that a server wrote before it stopped reading', async () => {
  const output = new PassThrough();
  const { input, received } = open({ output, readsAlways: true });
  output.destroy();
  await turn();
  input.write('{"id":1}\n');
  await turn();
  input.end('{"id":2}\n');
  await until(() => received.includes('end'));
  expect(received).toEqual(['frame {"id":1}', 'frame {"id":2}', 'end']);
});

test('ends the channel after a while if a server stops reading but keeps its output open', async () => {
  const output = new PassThrough();
  const { input, received } = open({ output, readsAlways: true });
  output.destroy();
  await until(() => received.length > 0);
  input.write('{}\n');
  await turn();
  expect(received).toEqual(['end']);
});

test('a paused channel reads the last output of a server after it is resumed', async () => {
  const output = new PassThrough();
  const { input, received, channel } = open({ output, readsAlways: true });
  channel.pause();
  output.destroy();
  await new Promise((resolve) => setTimeout(resolve, 600));
  input.write('{}\n');
  channel.resume();
  await until(() => received.includes('end'));
  expect(received).toEqual(['frame {}', 'end']);
});

test('a broken input ends the channel once', async () => {
  const { input, received } = open();
  input.write('{}\n{"half"');
  await turn();
  input.destroy(new Error('broken'));
  await turn();
  expect(received).toEqual(['frame {}', 'end {"half"']);
});

test('does not process requests of a client that does not read, and loses nothing when it reads again', async () => {
  const output = new PassThrough({ highWaterMark: 16 });
  const answer = JSON.stringify('x'.repeat(1024 * 1024));
  const { input, received } = open({ output, onFrame: (_, channel) => channel.send(answer) });
  input.end('{}\n'.repeat(400));
  await turn();
  expect(received.length).toBeLessThan(20);
  let bytes = 0;
  output.on('data', (chunk) => {
    bytes += chunk.length;
  });
  await until(() => received.includes('end'));
  expect(received.filter((event) => event === 'frame {}')).toHaveLength(400);
  await until(() => bytes === 400 * (answer.length + 1));
});

test('responses over the limit end the channel with the reason', async () => {
  const { received, channel, output } = open({ output: new PassThrough({ highWaterMark: 16 }) });
  const answer = JSON.stringify('x'.repeat(1024 * 1024));
  for (let count = 0; count < 400; count++) channel.send(answer);
  await until(() => received.length > 0);
  expect(received).toEqual(['end BUSY']);
  output.destroy();
});

test('stop leaves the rest of the chunk unread, and still writes what is queued', async () => {
  const { input, output, received } = open({
    onFrame: (_, channel) => {
      channel.send('"bye"');
      channel.stop();
    },
  });
  input.write('{}\n{}\n{}\n');
  await turn();
  input.end();
  await turn();
  expect(received).toEqual(['frame {}']);
  expect(String(output.read())).toBe('"bye"\n');
});

test('keeps a configured framing whatever the other side prints first', async () => {
  const lines = open({ framing: 'ndjson' });
  lines.channel.send('"hello"');
  lines.input.write('Content-Negotiation: on\n{}\n');
  await turn();
  lines.channel.send('"still lines"');
  await turn();
  expect(lines.received).toEqual(['frame Content-Negotiation: on', 'frame {}']);
  expect(String(lines.output.read())).toBe('"hello"\n"still lines"\n');

  const lengths = open({ framing: 'content-length' });
  lengths.input.write('Listening on stdio\nContent-Length: 2\r\n\r\n{}');
  await turn();
  expect(lengths.received).toEqual(['frame {}']);
});

test('a stopped channel releases the bytes of its unfinished message', async () => {
  const unfinishedBytes = createByteBudget(100);
  const stopped = open({ unfinishedBytes });
  stopped.input.write(`{"${'x'.repeat(80)}`);
  await turn();
  stopped.channel.stop();
  const other = open({ unfinishedBytes });
  other.input.write(`{"${'x'.repeat(80)}`);
  await turn();
  expect([stopped.received, other.received]).toEqual([[], []]);
});

test('a channel stopped in the middle of a chunk holds none of the rest', async () => {
  const unfinishedBytes = createByteBudget(100);
  const stopped = open({ unfinishedBytes, onFrame: (_, channel) => channel.stop() });
  stopped.input.write(`{}\n{"${'x'.repeat(80)}`);
  await turn();
  const other = open({ unfinishedBytes });
  other.input.write(`{"${'x'.repeat(80)}`);
  await turn();
  expect([stopped.received, other.received]).toEqual([['frame {}'], []]);
});

interface Options
  extends Pick<StreamChannelOptions, 'framing' | 'unfinishedBytes' | 'maxMessageBytes' | 'readsAlways'> {
  readonly output?: Writable;
  readonly onFrame?: (frame: Frame, channel: StreamChannel) => void;
}

function open({ output = new PassThrough(), onFrame, ...limits }: Options = {}) {
  const input = new PassThrough();
  const received: string[] = [];
  const channel: StreamChannel = openStreamChannel(
    { input, output, ...limits },
    {
      frame(frame) {
        received.push(`frame ${frameText(frame)}`);
        onFrame?.(frame, channel);
      },
      reportError: ({ code }) => received.push(`fault ${code}`),
      end: ({ rest, failure }) =>
        received.push(['end', failure?.code, rest && frameText(rest)].filter(Boolean).join(' ')),
    },
  );
  return { input, output: output as PassThrough, received, channel };
}

function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
}

async function until(isTrue: () => boolean): Promise<void> {
  const deadline = Date.now() + 30_000;
  while (!isTrue()) {
    if (Date.now() > deadline) expect.fail('It did not become true in time.');
    await turn();
  }
}
