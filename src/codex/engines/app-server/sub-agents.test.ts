import { expect, test } from 'vitest';
import { SubAgents } from './sub-agents.ts';

const sends = (...receiverThreadIds: readonly unknown[]) => ({
  item: { type: 'collabAgentToolCall', receiverThreadIds },
});

test.each([{}, { item: 'none' }, { item: { type: 'agentMessage' } }, sends(7), { item: { type: 'subAgentActivity' } }])(
  'ignores an item that starts no agent: %j',
  (params) => {
    const agents = new SubAgents();
    agents.observe('a', params);
    expect(agents.threadsOf('a')).toEqual([]);
  },
);

test('nested agents belong to the session, and no agent to itself', () => {
  const agents = new SubAgents();
  agents.observe('a', sends('b', 'a'));
  agents.observe('b', { item: { type: 'subAgentActivity', agentThreadId: 'c' } });

  expect([agents.threadsOf('a'), agents.threadsOf('b')]).toEqual([['b', 'c'], []]);
  expect(['a', 'b', 'c', 'x'].map((id) => agents.sessionOf(id))).toEqual(['a', 'a', 'a', 'x']);
  agents.clear();
  expect(agents.threadsOf('a')).toEqual([]);
});

test('a cycle terminates', () => {
  const agents = new SubAgents();
  agents.observe('a', sends('b'));
  agents.observe('b', sends('a'));
  expect(['a', 'b']).toContain(agents.sessionOf('a'));
});
