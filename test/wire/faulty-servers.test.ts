import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { AppError } from '../../src/base/errors.ts';
import { openProcesses, type Processes } from '../../src/base/process/processes.ts';
import { frameText } from '../../src/wire/frame.ts';
import { createPeer, type Peer } from '../../src/wire/rpc/peer.ts';
import { openStreamChannel } from '../../src/wire/stream/stream-channel.ts';
import { type FixtureName, fixture } from '../fixtures/paths.ts';
import { trackProcesses } from '../processes.ts';

/** Real servers that misbehave, behind our wire layer: every call ends soon. */
const tracker = trackProcesses();
let processes: Processes;

beforeEach(() => {
  processes = openProcesses({ env: tracker.env() });
});
afterEach(() => processes.close());

async function connect(name: FixtureName, options: { args?: string[]; maxMessageBytes?: number } = {}) {
  const faults: string[] = [];
  const { command, args } = fixture(name, ...(options.args ?? []));
  const server = await processes.spawn({ command, args, env: tracker.env() });
  const peer: Peer = createPeer({
    send: (text) => channel.send(text),
    onRequest: ({ method }) => {
      throw new AppError('METHOD_NOT_FOUND', `Method not found: ${method}`);
    },
    onNotification: () => undefined,
    onInvalidMessage: ({ code }) => faults.push(code),
  });
  const limit = options.maxMessageBytes === undefined ? {} : { maxMessageBytes: options.maxMessageBytes };
  const channel = openStreamChannel(
    { input: server.stdout, output: server.stdin, ...limit },
    {
      frame: (frame) => peer.receive(frameText(frame)),
      reportError: ({ code }) => faults.push(code),
      // Its last stderr output may arrive after the end of its stdout.
      end: () =>
        void server.exited.then(() => peer.close(new AppError('PROCESS_EXITED', server.stderrTail().at(-1) ?? ''))),
    },
  );
  const clientInfo = { name: 'test', version: '1' };
  await peer.request('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo });
  peer.notify('notifications/initialized');
  const call = (tool: string, args: Record<string, unknown> = {}, more: Parameters<Peer['request']>[2] = {}) =>
    peer.request('tools/call', { name: tool, arguments: args }, { timeoutMs: 30_000, ...more });
  return { call, faults };
}

const textResult = (text: string) => ({ content: [{ type: 'text', text }] });

describe('a server with malformed responses', () => {
  test.each(['string-code', 'result-and-error', 'no-id'])('fails its caller at once: %s', async (tool) => {
    const { call } = await connect('malformed-answers');
    await expect(call(tool)).rejects.toMatchObject({ code: 'BAD_ANSWER' });
    expect(await call('echo', { text: 'still here' })).toMatchObject(textResult('still here'));
  });

  test.each(['string-id', 'duplicate', 'unknown-id-first'])('is understood where possible: %s', async (tool) => {
    const { call } = await connect('malformed-answers');
    expect(await call(tool)).toMatchObject({ content: [{ type: 'text' }] });
    expect(await call('echo', { text: 'still here' })).toMatchObject(textResult('still here'));
  });
});

test('junk between messages is skipped', async () => {
  const { call, faults } = await connect('prints-junk');
  expect(await call('echo', { text: 'through' })).toMatchObject(textResult('through'));
  expect(new Set(faults)).toEqual(new Set(['PARSE_FAILED']));
});

test('a server that crashes during a call fails it with its last stderr line', async () => {
  const { call } = await connect('dies-mid-call');
  await expect(call('die')).rejects.toMatchObject({
    code: 'PROCESS_EXITED',
    message: expect.stringContaining('out of cheese'),
  });
});

test('a hanging call times out, and others continue', async () => {
  const { call } = await connect('hangs-at-call');
  await expect(call('hang', {}, { timeoutMs: 200 })).rejects.toMatchObject({ code: 'TIMED_OUT' });
  expect(await call('echo', { text: 'alive' })).toMatchObject(textResult('alive'));
});

test('a response after a cancellation is dropped silently', async () => {
  const { call } = await connect('answers-after-cancel');
  const stop = new AbortController();
  const waiting = call('wait', {}, { signal: stop.signal });
  expect(await call('cancelled')).toMatchObject(textResult('0'));
  stop.abort();
  await expect(waiting).rejects.toMatchObject({ code: 'CANCELLED' });
  await expect.poll(() => call('cancelled')).toMatchObject(textResult('1'));
});

test('ten thousand progress notifications arrive in order and before the result', async () => {
  const { call } = await connect('floods-progress');
  const seen: unknown[] = [];
  await call('flood', { count: 10_000 }, { onProgress: ({ progress }) => seen.push(progress) });
  expect(seen).toEqual(Array.from({ length: 10_000 }, (_, index) => index + 1));
});

test('drops a line over the limit and nothing else', async () => {
  const { call, faults } = await connect('huge-line', { maxMessageBytes: 1024 * 1024 });
  await expect(call('huge', { mib: 8 }, { timeoutMs: 1_000 })).rejects.toMatchObject({ code: 'TIMED_OUT' });
  await expect.poll(() => faults).toEqual(['MESSAGE_TOO_LARGE']);
  expect(await call('echo', { text: 'after' })).toMatchObject(textResult('after'));
});

test('ten thousand levels of JSON pass as a normal result', async () => {
  const { call } = await connect('deep-json');
  expect(await call('deep', { levels: 10_000 })).toBeDefined();
});
