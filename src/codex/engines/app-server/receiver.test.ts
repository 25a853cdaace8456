import { expect, test } from 'vitest';
import { AppError } from '../../../base/errors.ts';
import { IncomingRequest } from '../../../wire/rpc/incoming-requests.ts';
import type { IncomingApproval } from '../../engine.ts';
import type { ConnectionReceiver } from './connection.ts';
import { createReceiver } from './receiver.ts';
import { SubAgents } from './sub-agents.ts';

const TURN = { id: 't', status: 'completed', items: [], error: null };

test.each<[string, (receiver: ConnectionReceiver) => void, readonly unknown[]]>([
  [
    'Codex no longer waits for it',
    (receiver) => receiver.notification('serverRequest/resolved', { threadId: 'thread', requestId: 7 }),
    [7],
  ],
  [
    'the id is another one, although it looks alike',
    (receiver) => receiver.notification('serverRequest/resolved', { threadId: 'thread', requestId: '7' }),
    [],
  ],
  ['its turn ended', (receiver) => receiver.notification('turn/completed', { threadId: 'thread', turn: TURN }), [7]],
  [
    'the turn of an agent is over',
    (receiver) => receiver.notification('turn/completed', { threadId: 'agent', turn: TURN }),
    [8],
  ],
  ['Codex exited', (receiver) => receiver.crashed(new AppError('PROCESS_EXITED', 'gone')), [7, 8]],
])('an approval is withdrawn: %s', (_, act, withdrawn) => {
  const testbed = open();
  testbed.receiver.request(new IncomingRequest(7, '7', 'item/x/requestApproval', { threadId: 'thread' }));
  testbed.receiver.request(new IncomingRequest(8, '8', 'item/x/requestApproval', { threadId: 'agent' }));
  act(testbed.receiver);

  expect(testbed.asked.map(({ requestId, sessionId }) => [requestId, sessionId])).toEqual([
    [7, 'thread'],
    [8, 'thread'],
  ]);
  expect(testbed.withdrawn).toEqual(withdrawn);
});

test('the answer of the listener is the response; some requests need none', async () => {
  const { receiver } = open();

  expect(await receiver.request(new IncomingRequest(1, '1', 'item/x/requestApproval', { threadId: 'thread' }))).toEqual(
    { decision: 'accept' },
  );
  expect(receiver.request(new IncomingRequest(2, '2', 'execCommandApproval', {}))).toEqual({ decision: 'abort' });
});

/** A thread with one agent, and a listener that records its requests. */
function open() {
  const asked: (IncomingApproval & { readonly sessionId: string })[] = [];
  const withdrawn: unknown[] = [];
  const subAgents = new SubAgents();
  subAgents.observe('thread', { item: { type: 'subAgentActivity', agentThreadId: 'agent' } });
  const nothing = () => {};
  const receiver = createReceiver({
    client: { isOld: false },
    listener: {
      event: nothing,
      async approvalRequested(sessionId, approval) {
        asked.push({ ...approval, sessionId });
        return { decision: 'accept' };
      },
      approvalsWithdrawn(isWithdrawn) {
        withdrawn.push(...asked.filter(isWithdrawn).map(({ requestId }) => requestId));
      },
      crashed: nothing,
    },
    threads: {
      turnStarted: nothing,
      turnEnded: nothing,
      trackItem: nothing,
      forget: nothing,
      clear: nothing,
    },
    subAgents,
  });
  return { receiver, asked, withdrawn };
}
