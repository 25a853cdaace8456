import { expect, test } from 'vitest';
import { AppError } from '../../../base/errors.ts';
import { IncomingRequest } from '../../../wire/rpc/incoming-requests.ts';
import type { IncomingApproval } from '../../engine.ts';
import { toUnknownApproval } from './approvals/action-approvals.ts';
import { createPendingRequests } from './pending-requests.ts';

const REFUSAL = { decision: 'decline' };
const REASON = new AppError('PROCESS_EXITED', 'gone');

test.each([
  ['Codex no longer waits for it', (pending: Pending) => pending.resolved(7)],
  ['its turn is over', (pending: Pending) => pending.withdrawForThread('s')],
  ['Codex is gone', (pending: Pending) => pending.withdrawAll(REASON)],
])('a question is withdrawn, and refused whatever is said then: %s', async (_, withdraw) => {
  const { pending, asked, answer } = ask();
  const heard: unknown[] = [];
  asked.withdrawn.addEventListener('abort', () => {
    heard.push(asked.withdrawn.reason);
    asked.respond(undefined);
  });
  withdraw(pending);
  asked.respond({ decision: 'accept' });

  expect(await answer).toEqual(REFUSAL);
  expect(heard).toHaveLength(1);
});

test('the first answer counts, and an answered question is not withdrawn', async () => {
  const { pending, asked, answer } = ask();
  asked.respond({ decision: 'accept' });
  asked.respond({ decision: 'decline' });
  pending.resolved(7);
  pending.withdrawAll(REASON);

  expect(await answer).toEqual({ decision: 'accept' });
  expect(asked.withdrawn.aborted).toBe(false);
});

test('others are left alone', async () => {
  const { pending, asked } = ask();
  pending.resolved(8);
  pending.resolved('7');
  pending.withdrawForThread('another');

  expect(asked.withdrawn.aborted).toBe(false);
});

type Pending = ReturnType<typeof createPendingRequests>;

function ask() {
  const pending = createPendingRequests();
  const question = toUnknownApproval('some/requestApproval', {});
  const handed: IncomingApproval[] = [];
  const request = new IncomingRequest(7, '7', 'some/requestApproval', {});
  const answer = pending.add(request, { sessionId: 's', request: question }, (asked) => handed.push(asked));
  const [asked] = handed;
  if (asked === undefined) throw new Error('nobody was asked');
  return { pending, asked, answer };
}
