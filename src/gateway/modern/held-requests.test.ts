import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createHeldRequests } from './held-requests.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const KEY = { owner: 'alice', digest: 'call' };
const request = () => ({ expire: vi.fn() });

describe('a state', () => {
  test('returns its request once', () => {
    const held = createHeldRequests();
    const [one, other] = [request(), request()];
    const state = held.hold(one, KEY);
    expect(held.hold(other, KEY)).not.toBe(state);
    expect(held.take(state, KEY)).toBe(one);
    expect(() => held.take(state, KEY)).toThrow(expect.objectContaining({ code: 'INVALID_PARAMS' }));
  });

  test('of an earlier process is lost, and the client may call again', () => {
    const state = createHeldRequests().hold(request(), KEY);
    const earlier = state.replace(/^[0-9a-f]+/, '0123456789ab');
    expect(() => createHeldRequests().take(earlier, KEY)).toThrow(
      expect.objectContaining({
        code: 'INVALID_PARAMS',
        data: { retryable: true },
        message: expect.stringContaining('was restarted'),
      }),
    );
  });

  test('of another endpoint of this process is not taken for one of an earlier process', () => {
    const state = createHeldRequests().hold(request(), KEY);
    expect(() => createHeldRequests().take(state, KEY)).toThrow(
      expect.objectContaining({ message: expect.stringContaining('does not name a pending request') }),
    );
  });

  test.each([
    ['another owner', { owner: 'bob', digest: 'call' }],
    ['another request', { owner: 'alice', digest: 'other' }],
  ])('of %s is refused, and stays valid for its owner', (_, key) => {
    const held = createHeldRequests();
    const one = request();
    const state = held.hold(one, KEY);
    expect(() => held.take(state, key)).toThrow(expect.objectContaining({ code: 'INVALID_PARAMS' }));
    expect(held.take(state, KEY)).toBe(one);
  });

  test('expires after 15 minutes, and ends its request', () => {
    const held = createHeldRequests();
    const one = request();
    const state = held.hold(one, KEY);
    vi.advanceTimersByTime(14 * 60_000);
    expect(one.expire).not.toHaveBeenCalled();
    vi.advanceTimersByTime(61_000);
    expect(one.expire).toHaveBeenCalledOnce();
    expect(() => held.take(state, KEY)).toThrow(expect.objectContaining({ code: 'INVALID_PARAMS' }));
  });

  test.each([[undefined], [null], [0], [''], ['__proto__'], [{}], [[]]])('cannot be %j', (state) => {
    const held = createHeldRequests();
    held.hold(request(), KEY);
    expect(() => held.take(state, KEY)).toThrow(expect.objectContaining({ code: 'INVALID_PARAMS' }));
  });
});

test('one owner cannot block the requests of others', () => {
  const held = createHeldRequests();
  for (let count = 0; count < 250; count++) held.hold(request(), KEY);
  expect(() => held.hold(request(), KEY)).toThrow(expect.objectContaining({ code: 'BUSY' }));
  expect(() => held.hold(request(), { owner: 'bob', digest: 'call' })).not.toThrow();
});
