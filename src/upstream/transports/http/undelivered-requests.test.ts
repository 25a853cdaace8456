import { expect, test } from 'vitest';
import { AppError, type ErrorCode } from '../../../base/errors.ts';
import { createUndeliveredRequests } from './undelivered-requests.ts';

const REQUEST = { id: 7, method: 'tools/call', isIdempotent: false };
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
  const sequence = requests.nextSequence();
  requests.recordSent(REQUEST);
  const isGone = requests.recordFailure(REQUEST, { error: new AppError(code, 'It failed.'), ...facts });
  expect({ isGone, isUndelivered: requests.isUndelivered(sequence) }).toEqual(expected);
});
