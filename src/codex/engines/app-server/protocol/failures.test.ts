import { expect, test } from 'vitest';
import { AppError } from '../../../../base/errors.ts';
import {
  explainUnknownMethod,
  isNoActiveTurn,
  isUnknownMethod,
  rateLimitReset,
  toSessionError,
  toTurnFailure,
} from './failures.ts';

test.each([
  ['nothing', undefined, { kind: 'other', message: 'Codex gave no reason.' }],
  ['an empty message', { message: '' }, { kind: 'other', message: 'Codex gave no reason.' }],
  ['an inherited property name', { message: 'no', codexErrorInfo: 'constructor' }, { kind: 'other', message: 'no' }],
  [
    '401 as a status',
    { message: 'unexpected status 401', codexErrorInfo: { httpConnectionFailed: { httpStatusCode: 401 } } },
    { kind: 'auth', message: 'unexpected status 401', httpStatus: 401 },
  ],
  [
    '401 only in the message',
    { message: 'unexpected status 401 Unauthorized: no', codexErrorInfo: 'other' },
    { kind: 'auth', message: 'unexpected status 401 Unauthorized: no', httpStatus: 401 },
  ],
  [
    '429',
    { message: 'last status: 429', codexErrorInfo: { responseTooManyFailedAttempts: { httpStatusCode: 429 } } },
    { kind: 'rate_limit', message: 'last status: 429', httpStatus: 429 },
  ],
  [
    '503',
    { message: 'no', codexErrorInfo: { httpConnectionFailed: { httpStatusCode: 503 } } },
    { kind: 'overloaded', message: 'no', httpStatus: 503 },
  ],
  [
    '404',
    { message: 'no', codexErrorInfo: { httpConnectionFailed: { httpStatusCode: 404 } } },
    { kind: 'bad_request', message: 'no', httpStatus: 404 },
  ],
  [
    'no network',
    { message: 'no', codexErrorInfo: { responseStreamDisconnected: { httpStatusCode: null } } },
    { kind: 'network', message: 'no' },
  ],
  [
    'a full context window',
    { message: 'no', codexErrorInfo: 'contextWindowExceeded' },
    { kind: 'context_window', message: 'no' },
  ],
  ['an overload', { message: 'no', codexErrorInfo: 'internalServerError' }, { kind: 'overloaded', message: 'no' }],
  [
    'a usage limit with its reset time in seconds',
    { message: 'limit', codexErrorInfo: 'usageLimitExceeded', additionalDetails: '{"resets_at": 1800000000}' },
    { kind: 'usage_limit', message: 'limit', resetsAt: '2027-01-15T08:00:00.000Z' },
  ],
  [
    'a usage limit with an ISO 8601 reset time',
    { message: 'limit until 2027-01-15T08:00Z', codexErrorInfo: 'usageLimitExceeded' },
    { kind: 'usage_limit', message: 'limit until 2027-01-15T08:00Z', resetsAt: '2027-01-15T08:00:00.000Z' },
  ],
])('reads why a turn failed: %s', (_, raw, failure) => {
  expect(toTurnFailure(raw)).toEqual(failure);
});

test.each([
  ['nothing', undefined, undefined],
  ['no windows', { primary: null }, undefined],
  [
    'the full window',
    { primary: { usedPercent: 5, resetsAt: 1 }, secondary: { usedPercent: 100, resetsAt: 1_800_000_000 } },
    '2027-01-15T08:00:00.000Z',
  ],
  [
    'the first window if none is full',
    { primary: { usedPercent: 5, resetsAt: 1_800_000_000 }, secondary: { usedPercent: 6, resetsAt: 1 } },
    '2027-01-15T08:00:00.000Z',
  ],
  ['a full window without a reset time', { primary: { usedPercent: 100, resetsAt: null } }, undefined],
])('reads when a limit resets: %s', (_, limits, at) => {
  expect(rateLimitReset(limits)).toBe(at);
});

test.each([
  ['no rollout found for thread id s', 'SESSION_NOT_FOUND'],
  ['thread not found: s', 'SESSION_NOT_FOUND'],
  ['thread not loaded: s', 'SESSION_NOT_FOUND'],
  ['invalid thread id: s', 'SESSION_NOT_FOUND'],
  ['invalid session id: s', 'SESSION_NOT_FOUND'],
  ['thread s already has an active writer', 'SESSION_HELD'],
  ['cannot', 'REQUEST_FAILED'],
])('reads what Codex reports about a session: %s', (message, code) => {
  const refusal = new AppError('REQUEST_FAILED', message, { data: { rpcCode: -32600 } });
  expect(toSessionError(refusal, 's')).toMatchObject({ code, cause: refusal, data: { sessionId: 's' } });
});

test('passes on errors that are not from Codex', () => {
  const closed = new AppError('CONNECTION_CLOSED', 'thread not found');
  expect(toSessionError(closed, 's')).toBe(closed);
  expect(toSessionError(new Error('odd'), 's')).toMatchObject({ code: 'INTERNAL', message: 'odd' });
});

test('recognizes an unknown method and a missing turn', () => {
  const unknown = new AppError('REQUEST_FAILED', 'Invalid request: unknown variant `turn/steer`, expected one of …', {
    data: { method: 'turn/steer' },
  });
  const none = new AppError('REQUEST_FAILED', 'no active turn to interrupt');

  expect([unknown, toSessionError(unknown, 's'), none, new Error('unknown variant')].map(isUnknownMethod)).toEqual([
    true,
    true,
    false,
    false,
  ]);
  expect([none, toSessionError(none, 's'), unknown, new Error('no active turn')].map(isNoActiveTurn)).toEqual([
    true,
    true,
    false,
    false,
  ]);
});

test('does not mistake an unknown value for an unknown method', () => {
  const effort = new AppError('REQUEST_FAILED', 'Invalid request: unknown variant `weird`, expected one of `low`', {
    data: { method: 'turn/start' },
  });
  expect(isUnknownMethod(effort)).toBe(false);
  expect(explainUnknownMethod(effort, 'turn/start', undefined)).toBe(effort);
});
