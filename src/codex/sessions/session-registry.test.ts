import { expect, test } from 'vitest';
import { pendingApproval } from '../../../test/contracts/pending-approval.ts';
import { toUnknownApproval } from '../engines/app-server/approvals/action-approvals.ts';
import { SessionRegistry } from './session-registry.ts';

const LIMITS = { maxSessions: 2, maxEvents: 10 };

test('reports an unknown session as not found', () => {
  const registry = new SessionRegistry(LIMITS);

  expect(registry.find('x')).toBeUndefined();
  expect(() => registry.get('x')).toThrow(
    expect.objectContaining({
      code: 'SESSION_NOT_FOUND',
      message:
        'No turn of session x has run in this server. codex_status reads a stored session, codex_say continues one, codex_list shows all.',
      data: { sessionId: 'x' },
    }),
  );
});

test('a reservation counts until its release, and a second release has no effect', () => {
  const registry = new SessionRegistry(LIMITS);
  const release = registry.reserve();
  registry.reserve();
  expect(() => registry.reserve()).toThrow(
    expect.objectContaining({ code: 'BUSY', data: { limit: 2, sessionIds: [] } }),
  );
  release();
  release();

  registry.reserve();
  expect(() => registry.reserve()).toThrow(expect.objectContaining({ code: 'BUSY' }));
});

test('removes a session without a turn, and keeps one with a turn', () => {
  const registry = new SessionRegistry(LIMITS);
  const empty = registry.add({ sessionId: 'a', cwd: '/' }, {});
  const used = registry.add({ sessionId: 'b', cwd: '/' }, {});
  used.beginTurn();
  registry.removeUnused(empty);
  registry.removeUnused(used);

  expect([registry.all(), registry.running()]).toEqual([[used], [used]]);
});

test('notifies listeners of every session until they unsubscribe', () => {
  const registry = new SessionRegistry(LIMITS);
  const received: string[] = [];
  const stop = registry.onChange(({ id, status }) => received.push(`${id} ${status}`));
  const session = registry.add({ sessionId: 'a', cwd: '/' }, {});
  session.beginTurn();
  stop();
  session.endTurn({ status: 'interrupted' });

  expect(received).toEqual(['a active']);
});

test('keeps a limited number of sessions: the running ones and the latest others', () => {
  const registry = new SessionRegistry(LIMITS);
  registry.add({ sessionId: 'running', cwd: '/' }, {}).beginTurn();
  for (let count = 1; count <= 1000; count++) registry.add({ sessionId: `s${count}`, cwd: '/' }, {});

  expect(registry.all()).toHaveLength(1000);
  expect([registry.find('running')?.isRunning, registry.find('s1'), registry.find('s2')?.id]).toEqual([
    true,
    undefined,
    's2',
  ]);
});

test('a session that still waits for an approval is remembered, although its turn has ended', () => {
  const registry = new SessionRegistry(LIMITS);
  const waiting = registry.add({ sessionId: 'waiting', cwd: '/' }, {});
  waiting.pendingApprovals.push(pendingApproval(toUnknownApproval('x/requestApproval', {})));
  for (let count = 1; count <= 1000; count++) registry.add({ sessionId: `s${count}`, cwd: '/' }, {});

  expect([registry.find('waiting'), registry.find('s1')]).toEqual([waiting, undefined]);
});
