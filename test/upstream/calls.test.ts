import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { behave, createCall, type Json, openUpstream, type ServerRun } from './scripted-server.ts';

/** Calls to one upstream: their deadlines and their limit, with a clock that the test controls. */
beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const wait = (ms = 0) => vi.advanceTimersByTimeAsync(ms);
/** Responds only to the handshake. */
const silent = (message: Json, own: ServerRun) =>
  message['method'] === 'initialize' ? behave(message, own) : undefined;

async function openSilent(options: { requestTimeoutMs?: number } = {}) {
  const opened = openUpstream({ onMessage: silent, ...options });
  opened.upstream.start();
  await wait();
  return { ...opened, life: opened.life(1) };
}

const methods = ({ received }: ServerRun) => received.map(({ method }) => method);

describe('a call without a response', () => {
  test('times out at the limit of its server, which gets a cancellation; its late response is dropped', async () => {
    const { upstream, life, events } = await openSilent({ requestTimeoutMs: 2_000 });
    const call = createCall();
    upstream.call(call);
    await wait(1_900);
    expect(call.outcome).toBeUndefined();
    await wait(200);
    expect(call.outcome).toEqual({
      code: 'TIMED_OUT',
      message: 'one did not answer tools/call within 2 s. The server may have done this; check before repeating.',
    });
    const id = call.sent?.id;
    expect(life.received.at(-1)).toEqual({
      jsonrpc: '2.0',
      method: 'notifications/cancelled',
      params: { requestId: id, reason: 'timed out' },
    });
    life.say({ jsonrpc: '2.0', id: id as number, result: {} });
    life.say({ jsonrpc: '2.0', id: id as number, error: { code: -32800, message: 'cancelled' } });
    expect(events).toEqual(['connecting', 'ready', 'connected']);
  });

  test('times out after ten minutes if its server sets no limit', async () => {
    const { upstream } = await openSilent();
    const call = createCall();
    upstream.call(call);
    await wait(599_900);
    expect(call.outcome).toBeUndefined();
    await wait(200);
    expect(call.outcome).toMatchObject({ code: 'TIMED_OUT' });
  });

  test('is extended by progress, up to an hour in total', async () => {
    const { upstream, life } = await openSilent({ requestTimeoutMs: 60_000 });
    const call = createCall();
    upstream.call(call);
    for (let minutes = 1; minutes <= 71; minutes++) {
      await wait(50_000);
      life.say(progress(call.sent?.id, minutes));
    }
    // 71 times fifty seconds, just under an hour.
    expect([call.outcome, call.progressed.length]).toEqual([undefined, 71]);
    await wait(49_900);
    expect(call.outcome).toBeUndefined();
    await wait(200);
    expect(call.outcome).toEqual({
      code: 'TIMED_OUT',
      message: 'one did not answer tools/call within 3600 s. The server may have done this; check before repeating.',
    });
    expect(methods(life).at(-1)).toBe('notifications/cancelled');
  });

  test('is not extended by the progress of another call', async () => {
    const { upstream, life } = await openSilent({ requestTimeoutMs: 1_000 });
    const [talking, silentOne] = [createCall(), createCall()];
    upstream.call(talking);
    upstream.call(silentOne);
    await wait(800);
    life.say(progress(talking.sent?.id, 1));
    life.say(progress(987_654, 1));
    life.say(progress('none', 1));
    await wait(400);
    expect([talking.outcome, silentOne.outcome?.constructor]).toEqual([undefined, Object]);
  });

  test('is extended beyond an hour only by a longer limit of its server', async () => {
    const { upstream } = await openSilent({ requestTimeoutMs: 7_200_000 });
    const call = createCall();
    upstream.call(call);
    await wait(7_199_900);
    expect(call.outcome).toBeUndefined();
    await wait(200);
    expect(call.outcome).toMatchObject({ code: 'TIMED_OUT' });
  });

  test('does not time out while its deadline is paused, and then gets its full time again', async () => {
    let isHeld = true;
    const { upstream, life } = await openSilent({ requestTimeoutMs: 1_000 });
    const call = createCall({ isDeadlinePaused: () => isHeld });
    upstream.call(call);
    await wait(5_500);
    isHeld = false;
    expect(call.outcome).toBeUndefined();
    await wait(300);
    expect(call.outcome).toBeUndefined();
    life.say({ jsonrpc: '2.0', id: call.sent?.id as number, result: { late: false } });
    expect(call.outcome).toEqual({ result: { late: false } });
  });

  test('counts the time that it waited for its server to start, and progress resets the timeout', async () => {
    const { upstream, life: lifeOf } = openUpstream({ onMessage: () => {}, requestTimeoutMs: 10_000 });
    const call = createCall();
    upstream.call(call);
    await wait(6_000);
    const life = lifeOf(1);
    life.answer(life.received[0]?.['id'], { protocolVersion: '2025-11-25' });
    await wait();
    await wait(3_800);
    expect(call.outcome).toBeUndefined();
    life.say(progress(call.sent?.id, 1));
    await wait(9_900);
    expect(call.outcome).toBeUndefined();
    await wait(200);
    expect(call.outcome).toMatchObject({ code: 'TIMED_OUT' });
  });
});

describe('a cancelled call', () => {
  test('is cancelled at its server, and a late response is dropped', async () => {
    const { upstream, life, events } = await openSilent();
    const call = createCall();
    upstream.call(call);
    upstream.cancel(call, 'no longer wanted');
    expect(life.received.at(-1)).toEqual({
      jsonrpc: '2.0',
      method: 'notifications/cancelled',
      params: { requestId: call.sent?.id, reason: 'no longer wanted' },
    });
    life.say({ jsonrpc: '2.0', id: call.sent?.id as number, result: {} });
    await wait(600_100);
    upstream.cancel(call, 'again');
    expect([call.outcome, methods(life).filter((method) => method === 'notifications/cancelled').length]).toEqual([
      undefined,
      1,
    ]);
    expect(events).toEqual(['connecting', 'ready', 'connected']);
  });

  test('that waits for its server is never sent', async () => {
    const { upstream, life } = openUpstream();
    const call = createCall();
    upstream.call(call);
    upstream.cancel(call, 'no longer wanted');
    await wait(1_000);
    expect(methods(life(1))).toEqual(['initialize', 'notifications/initialized']);
    expect(call.outcome).toBeUndefined();
  });
});

describe('overload', () => {
  test('1024 calls may be pending; one more fails as busy, until one of them is done', async () => {
    const { upstream, life } = await openSilent();
    const calls = Array.from({ length: 1024 }, () => createCall());
    for (const call of calls) upstream.call(call);
    const tooMany = createCall();
    upstream.call(tooMany);
    expect(tooMany.outcome).toEqual({
      code: 'BUSY',
      message: 'one is busy: 1024 calls are pending. Try again in a moment.',
    });
    life.say({ jsonrpc: '2.0', id: calls[7]?.sent?.id as number, result: {} });
    const next = createCall();
    upstream.call(next);
    expect([calls[7]?.outcome, next.outcome]).toEqual([{ result: {} }, undefined]);
  });

  test('a server with more than 32 MiB of unread bytes gets no more calls until it reads', async () => {
    const { upstream, life } = await openSilent();
    life.queuedBytes = 32 * 2 ** 20;
    const fits = createCall();
    upstream.call(fits);
    life.queuedBytes++;
    const tooMuch = createCall();
    upstream.call(tooMuch);
    expect([fits.outcome, tooMuch.outcome]).toEqual([
      undefined,
      { code: 'BUSY', message: 'one is busy: it does not read its input. Try again in a moment.' },
    ]);
    life.queuedBytes = 0;
    const next = createCall();
    upstream.call(next);
    expect(next.outcome).toBeUndefined();
  });

  test('at most 1024 calls may wait for a starting server', async () => {
    const { upstream } = openUpstream({ onMessage: () => {} });
    for (let count = 0; count < 1024; count++) upstream.call(createCall());
    const tooMany = createCall();
    upstream.call(tooMany);
    expect(tooMany.outcome).toEqual({
      code: 'BUSY',
      message: 'one is starting, and too many calls are already waiting for it. Try again in a moment.',
    });
    await upstream.close();
  });
});

test('a message over the limits stops the server and fails every pending call', async () => {
  const { upstream, life, lives } = openUpstream({ onMessage: silent });
  upstream.start();
  await wait();
  const call = createCall();
  upstream.call(call);
  life(1).say(`{"x":${'['.repeat(2 ** 20)}`);
  expect(call.outcome).toEqual({
    code: 'OUTCOME_UNKNOWN',
    message:
      'A message is nested too deeply or has too many values. The server may have done this; check before repeating.',
  });
  await wait();
  expect([life(1).isClosed, lives.length]).toEqual([true, 2]);
});

function progress(token: unknown, value: number): Json {
  return { jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken: token, progress: value } };
}
