import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { drainUpstream } from '../../src/upstream/lifecycle/drain-upstream.ts';
import { createCall, type Json, openUpstream, type ServerRun } from './scripted-server.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const wait = (ms = 0) => vi.advanceTimersByTimeAsync(ms);
const movable = (name: string) =>
  Object.assign(createCall({ name, isIdempotent: true }), { moveTo: vi.fn(() => true as boolean) });

/** Completes the handshake and responds to nothing else. */
const mute = (message: Json, life: ServerRun) => {
  if (message['method'] === 'initialize') life.answer(message['id'], { protocolVersion: '2025-11-25' });
};

async function openReady(options?: Parameters<typeof openUpstream>[0]) {
  const opened = openUpstream(options);
  opened.upstream.start();
  await wait();
  return opened;
}

test('a call that never reached a draining server moves to its successor, and others fail', async () => {
  const old = await openReady({ onMessage: mute });
  const next = await openReady();
  const [sent, unsent] = [movable('sent'), movable('unsent')];
  old.upstream.call(sent);
  old.life(1).handedOver = old.life(1).received.length - 1;
  old.upstream.call(unsent);
  const drained = drainUpstream(old.upstream, next.upstream);
  old.life(1).fall();
  await wait(25);
  await drained;
  expect(sent.outcome).toEqual({
    code: 'OUTCOME_UNKNOWN',
    message: 'it ended: ouch. The server may have done this; its tool is declared safe to repeat.',
  });
  expect(unsent.moveTo).toHaveBeenCalledExactlyOnceWith(next.upstream);
  expect(unsent.outcome).toEqual({ result: { name: 'unsent' } });
});

test('a call moves to the latest successor', async () => {
  const old = await openReady({ onMessage: mute });
  const [between, next] = [openUpstream(), await openReady()];
  const call = movable('unsent');
  old.life(1).handedOver = 0;
  old.upstream.call(call);
  const drained = [drainUpstream(old.upstream, between.upstream), drainUpstream(between.upstream, next.upstream)];
  old.life(1).fall();
  await wait(25);
  await Promise.all(drained);
  expect(call.outcome).toEqual({ result: { name: 'unsent' } });
});

test.each([
  ['replaced', 'one was replaced, because its config has changed.'],
  ['removed', 'one was removed from the config.'],
])('a call that cannot move fails with a message that its server was %s', async (how, message) => {
  const { upstream } = openUpstream();
  const call = createCall();
  upstream.call(call);
  const successor = how === 'replaced' ? openUpstream().upstream : undefined;
  const drained = drainUpstream(upstream, successor);
  await wait(25);
  await drained;
  expect(call.outcome).toEqual({ code: 'CONNECTION_CLOSED', message });
});
