import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { AppError } from '../../src/base/errors.ts';
import { behave, createCall, type Json, openUpstream, type ServerRun } from './scripted-server.ts';

/** Restarts of one upstream, with a clock that the test controls. */
beforeEach(() => {
  vi.useFakeTimers();
  vi.spyOn(Math, 'random').mockReturnValue(0.5);
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

const wait = (ms = 0) => vi.advanceTimersByTimeAsync(ms);
const ready = ['connecting', 'ready', 'connected'];
const DOWN = { code: 'PROCESS_EXITED', message: 'it ended: ouch' };

describe('crashes', () => {
  test('the first is followed by an immediate restart, the next by an increasing backoff', async () => {
    const { upstream, lives, life, events } = openUpstream();
    upstream.start();
    await wait();
    for (const pauseMs of [0, 500, 1_000, 2_000]) {
      const number = lives.length;
      life(number).fall();
      await wait(Math.max(0, pauseMs - 1));
      if (pauseMs > 0) expect(lives.length).toBe(number);
      await wait(1);
      expect(lives.length).toBe(number + 1);
    }
    expect(events.slice(0, 7)).toEqual([...ready, 'error', 'disconnected', 'connecting', 'ready']);
    expect(upstream.restarts).toBe(4);
  });

  test('after ten healthy seconds, the next restart is immediate again', async () => {
    const { upstream, lives, life } = openUpstream();
    upstream.start();
    await wait();
    life(1).fall();
    await wait();
    life(2).fall();
    await wait(500);
    await wait(10_000);
    life(3).fall();
    await wait();
    expect(lives).toHaveLength(4);
  });

  test('a call during the backoff starts the server at once, and the new process answers it', async () => {
    const { upstream, lives, life } = openUpstream();
    upstream.start();
    await wait();
    life(1).fall();
    await wait();
    life(2).fall();
    expect([upstream.state.kind, lives.length]).toEqual(['error', 2]);
    const call = createCall();
    upstream.call(call);
    await wait();
    expect(lives).toHaveLength(3);
    expect(call.outcome).toEqual({ result: { name: 'echo' } });
    await wait(60_000);
    expect(lives).toHaveLength(3);
  });

  test('a call during the backoff waits no longer than its deadline', async () => {
    let isMute = false;
    const { upstream, life } = openUpstream({
      requestTimeoutMs: 5_000,
      onMessage: (message, own) => (isMute ? undefined : behave(message, own)),
    });
    upstream.start();
    await wait();
    isMute = true;
    life(1).fall();
    await wait();
    const call = createCall();
    upstream.call(call);
    await wait(4_900);
    expect(call.outcome).toBeUndefined();
    await wait(200);
    expect(call.outcome).toEqual({ code: 'TIMED_OUT', message: 'one was not ready in time for tools/call.' });
  });

  test('after five in a minute, calls fail at once, even during a probe, until a probe succeeds', async () => {
    const lines = ['first', 'second', 'third', 'fourth', 'fifth', 'sixth'];
    let isIll = true;
    const { upstream, lives, life } = openUpstream({
      onMessage: (message, own) => {
        if (!isIll) return behave(message, own);
        if (message['method'] === 'initialize' && lives.length < 6) own.fall(lines[lives.length - 1]);
      },
    });
    upstream.start();
    // 0, 500, 1000, 2000
    await wait(3_500);
    expect([lives.length, upstream.state.kind]).toEqual([5, 'error']);
    const refused = createCall();
    upstream.call(refused);
    const message = 'it ended: fifth (it failed too often and is retried from time to time)';
    expect(refused.outcome).toEqual({ code: 'PROCESS_EXITED', message });
    await wait(4_000);
    expect([lives.length, upstream.state.kind]).toEqual([6, 'connecting']);
    const duringProbe = createCall();
    upstream.call(duringProbe);
    expect(duringProbe.outcome).toEqual({ code: 'PROCESS_EXITED', message });
    isIll = false;
    life(6).fall('sixth');
    await wait(8_000);
    expect([lives.length, upstream.state.kind]).toEqual([7, 'ready']);
    const passed = createCall();
    upstream.call(passed);
    await wait();
    expect(passed.outcome).toEqual({ result: { name: 'echo' } });
  });

  test('a server that refuses connections is retried at each call, and the first call after its return is answered', async () => {
    let isBack = false;
    let starts = 0;
    const refusal = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
    const { upstream } = openUpstream({
      onStart() {
        starts++;
        if (!isBack) throw new AppError('UNREACHABLE', 'nothing answers at this address', { cause: refusal });
      },
    });
    upstream.start();
    await wait(20_000);
    const before = starts;
    expect(before).toBeGreaterThan(5);
    const refused = createCall();
    upstream.call(refused);
    await wait();
    expect(refused.outcome).toEqual({ code: 'UNREACHABLE', message: 'nothing answers at this address' });
    expect(starts).toBe(before + 1);
    isBack = true;
    const answered = createCall();
    upstream.call(answered);
    await wait();
    expect(answered.outcome).toEqual({ result: { name: 'echo' } });
  });

  test('a server that cannot be spawned is not retried immediately', async () => {
    let starts = 0;
    const { upstream } = openUpstream({
      onStart() {
        starts++;
        throw new AppError('SPAWN_FAILED', 'Spawn error: command not found: x');
      },
    });
    upstream.start();
    await wait(999);
    expect(starts).toBe(1);
    await wait(1);
    expect(starts).toBe(2);
    expect(upstream.state).toMatchObject({ kind: 'error', error: { code: 'SPAWN_FAILED' } });
  });
});

describe('starting', () => {
  test('a server that does not answer initialize in time is closed, and initialize is not cancelled', async () => {
    const { upstream, life, lives } = openUpstream({ startupTimeoutMs: 3_000, onMessage: () => {} });
    upstream.start();
    const call = createCall();
    upstream.call(call);
    await wait(2_900);
    expect(upstream.state.kind).toBe('connecting');
    await wait(200);
    expect(call.outcome).toEqual({
      code: 'START_FAILED',
      message: 'it did not become ready: one did not answer initialize within 3 s.',
    });
    expect([lives.length, life(1).isClosed]).toEqual([1, true]);
    expect(life(1).received.map(({ method }) => method)).toEqual(['initialize']);
    await wait(1_000);
    expect(lives.length).toBe(2);
  });

  test('the default timeout is a minute', async () => {
    const { upstream, life } = openUpstream({ onMessage: () => {} });
    upstream.start();
    await wait(59_900);
    expect(life(1).isClosed).toBe(false);
    await wait(200);
    expect(life(1).isClosed).toBe(true);
  });

  test.each([
    ['nothing', null],
    ['no version', {}],
    ['a version that is not a string', { protocolVersion: 1 }],
    ['an array', []],
  ])('a server that returns %s from initialize is an error', async (_, result) => {
    const { upstream } = openUpstream({ onMessage: ({ id }, own) => own.answer(id, result) });
    upstream.start();
    await wait();
    expect(upstream.state).toMatchObject({ kind: 'error', error: { code: 'START_FAILED' } });
  });

  test('a server that rejects initialize is an error with its own message', async () => {
    const { upstream } = openUpstream({
      onMessage: ({ id }, own) =>
        own.say({ jsonrpc: '2.0', id: id as number, error: { code: -32603, message: 'not today' } }),
    });
    upstream.start();
    await wait();
    expect(upstream.state).toMatchObject({
      kind: 'error',
      error: { code: 'START_FAILED', message: 'it refused initialize: not today' },
    });
  });

  test('a server that is not running is started by the first call', async () => {
    const { upstream, lives } = openUpstream();
    const call = createCall();
    upstream.call(call);
    await wait();
    expect([lives.length, call.outcome]).toEqual([1, { result: { name: 'echo' } }]);
  });
});

describe('pending calls when the server crashes', () => {
  const silent = (message: Json, own: ServerRun) =>
    message['method'] === 'initialize' ? behave(message, own) : undefined;

  test('are sent once more if they are unsent and idempotent, within their remaining time', async () => {
    const { upstream, life } = openUpstream({ onMessage: silent, requestTimeoutMs: 10_000 });
    upstream.start();
    await wait();
    const [left, repeatable, other] = [
      createCall({ isIdempotent: true }),
      createCall({ isIdempotent: true }),
      createCall(),
    ];
    upstream.call(left);
    life(1).handedOver = life(1).received.length - 1;
    upstream.call(repeatable);
    upstream.call(other);
    await wait(6_000);
    life(1).fall();
    await wait();
    expect([left.outcome, repeatable.outcome, other.outcome]).toEqual([
      {
        code: 'OUTCOME_UNKNOWN',
        message: 'it ended: ouch. The server may have done this; its tool is declared safe to repeat.',
      },
      undefined,
      DOWN,
    ]);
    expect(life(2).received.map(({ method }) => method)).toEqual([
      'initialize',
      'notifications/initialized',
      'tools/call',
    ]);
    await wait(4_100);
    expect(repeatable.outcome).toEqual({
      code: 'TIMED_OUT',
      message:
        'one did not answer tools/call within 10 s. The server may have done this; its tool is declared safe to repeat.',
    });
  });

  test('fail if more of them wait than the limit allows', async () => {
    const { upstream, life } = openUpstream({ onMessage: silent });
    upstream.start();
    await wait();
    life(1).handedOver = 0;
    const calls = [1, 2, 3].map(() => createCall({ isIdempotent: true, bytes: 15 * 2 ** 20 }));
    for (const call of calls) upstream.call(call);
    life(1).fall();
    expect(calls.map(({ outcome }) => outcome)).toEqual([undefined, undefined, DOWN]);
  });

  test('fail at once if the server has crashed too often', async () => {
    const { upstream, life, lives } = openUpstream({ onMessage: silent });
    upstream.start();
    await wait();
    for (let falls = 1; falls <= 4; falls++) {
      life(lives.length).fall();
      await wait(2_000);
    }
    const call = createCall({ isIdempotent: true });
    life(lives.length).handedOver = 0;
    upstream.call(call);
    life(lives.length).fall();
    expect(call.outcome).toEqual(DOWN);
  });
});

test('a paused server stays paused after a restart, until it is resumed', async () => {
  const { upstream, life } = openUpstream();
  upstream.start();
  await wait();
  upstream.pause();
  expect(life(1).isPaused).toBe(true);
  life(1).fall();
  await wait();
  expect(life(2).isPaused).toBe(true);
  upstream.resume();
  life(2).fall();
  await wait(500);
  expect([life(2).isPaused, life(3).isPaused]).toEqual([false, false]);
});

test('the stderr tail is that of the crashed process until the next one writes', async () => {
  const { upstream, life } = openUpstream();
  upstream.start();
  await wait();
  life(1).words.push('no key');
  expect(upstream.stderrTail()).toEqual(['no key']);
  life(1).fall();
  expect(upstream.stderrTail()).toEqual(['no key']);
  await wait();
  expect([upstream.state.kind, upstream.stderrTail()]).toEqual(['ready', ['no key']]);
  life(2).words.push('here again');
  expect(upstream.stderrTail()).toEqual(['here again']);
});

test('closing fails every waiting call, stops the server, and starts nothing afterward', async () => {
  const { upstream, life, lives } = openUpstream({
    onMessage: (message, own) => (lives.length === 1 ? behave(message, own) : undefined),
  });
  const closed = { code: 'CONNECTION_CLOSED', message: 'one is being stopped.' };
  upstream.start();
  await wait();
  life(1).fall();
  await wait();
  const waiting = createCall();
  upstream.call(waiting);
  await upstream.close();
  await upstream.close();
  const late = createCall();
  upstream.call(late);
  upstream.startOnDemand();
  upstream.start();
  await wait(120_000);
  expect([waiting.outcome, late.outcome]).toEqual([closed, closed]);
  expect([lives.length, life(2).isClosed]).toEqual([2, true]);
});

test('a server closed before its launch is not launched', async () => {
  const { upstream, lives } = openUpstream();
  upstream.start();
  const closing = upstream.close();
  await wait();
  await closing;
  expect(lives).toEqual([]);
});
