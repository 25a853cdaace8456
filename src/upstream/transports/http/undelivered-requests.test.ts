import { expect, test } from 'vitest';
import { createUndeliveredRequests } from './undelivered-requests.ts';

test('an undelivered request has its own sequence number, although others were taken before it was sent', () => {
  const undelivered = createUndeliveredRequests();
  const request = { id: 7, sequence: undelivered.nextSequence(), method: 'tools/call', isIdempotent: false };
  const later = undelivered.nextSequence();
  undelivered.recordSent(request);
  undelivered.recordUndelivered(request);
  expect([request.sequence, later].map(undelivered.isUndelivered)).toEqual([true, false]);
});

test('a request that was answered is not undelivered, whatever happens to its next exchange', () => {
  const undelivered = createUndeliveredRequests();
  const request = { id: 7, sequence: undelivered.nextSequence(), method: 'tools/call', isIdempotent: false };
  undelivered.recordSent(request);
  undelivered.forget(request.id);
  undelivered.recordUndelivered(request);
  expect(undelivered.isUndelivered(request.sequence)).toBe(false);
});
