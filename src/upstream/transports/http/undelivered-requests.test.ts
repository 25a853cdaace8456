import { expect, test } from 'vitest';
import { AppError, type ErrorCode } from '../../../base/errors.ts';
import { createUndeliveredRequests, isServerGone } from './undelivered-requests.ts';

const DELIVERED = { isUndelivered: false, isForbidden: false };
const UNDELIVERED = { isUndelivered: true, isForbidden: false };
const FORBIDDEN = { isUndelivered: true, isForbidden: true };

test.each<[string, ErrorCode, typeof DELIVERED, { isGone: boolean; isUndelivered: boolean }]>([
  ['an unreachable server', 'UNREACHABLE', UNDELIVERED, { isGone: true, isUndelivered: true }],
  ['a server that requires a sign-in', 'SIGN_IN_NEEDED', UNDELIVERED, { isGone: true, isUndelivered: true }],
  ['a missing scope', 'SIGN_IN_NEEDED', FORBIDDEN, { isGone: false, isUndelivered: true }],
  ['a failed token refresh', 'CONNECTION_CLOSED', UNDELIVERED, { isGone: false, isUndelivered: true }],
  ['a lost response', 'CONNECTION_CLOSED', DELIVERED, { isGone: false, isUndelivered: false }],
])('decides about %s', (_, code, facts, expected) => {
  const requests = createUndeliveredRequests();
  const request = { id: 7, sequence: requests.nextSequence(), method: 'tools/call', isSafeToResend: false };
  requests.recordSent(request);
  const failure = { error: new AppError(code, 'It failed.'), ...facts };
  requests.recordFailure(request, failure);
  expect({ isGone: isServerGone(failure), isUndelivered: requests.isUndelivered(request.sequence) }).toEqual(expected);
});

test('an undelivered request has its own sequence number, although others were taken before it was sent', () => {
  const undelivered = createUndeliveredRequests();
  const request = { id: 7, sequence: undelivered.nextSequence(), method: 'tools/call', isSafeToResend: false };
  const later = undelivered.nextSequence();
  undelivered.recordSent(request);
  undelivered.recordUndelivered(request);
  expect([request.sequence, later].map(undelivered.isUndelivered)).toEqual([true, false]);
});

test('a request that was answered is not undelivered, whatever happens to its next exchange', () => {
  const undelivered = createUndeliveredRequests();
  const request = { id: 7, sequence: undelivered.nextSequence(), method: 'tools/call', isSafeToResend: false };
  undelivered.recordSent(request);
  undelivered.forget(request.id);
  undelivered.recordUndelivered(request);
  expect(undelivered.isUndelivered(request.sequence)).toBe(false);
});
