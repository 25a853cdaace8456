import { expect, test } from 'vitest';
import { SubAgents } from './sub-agents.ts';

const sends = (...receiverThreadIds: readonly unknown[]) => ({
  item: { type: 'collabAgentToolCall', receiverThreadIds },
});

test.each([{}, { item: 'none' }, { item: { type: 'agentMessage' } }, sends(7), { item: { type: 'subAgentActivity' } }])(
  'an item that sends nobody: %j',
  (params) => {
    const agents = new SubAgents();
    agents.observe('a', params);
    expect(agents.threadsOf('a')).toEqual([]);
  },
);

test('agents of agents work for the session, and nobody works for themselves', () => {
  const agents = new SubAgents();
  agents.observe('a', sends('b', 'a'));
  agents.observe('b', { item: { type: 'subAgentActivity', agentThreadId: 'c' } });

  expect([agents.threadsOf('a'), agents.threadsOf('b')]).toEqual([['b', 'c'], []]);
  expect(['a', 'b', 'c', 'x'].map((id) => agents.sessionOf(id))).toEqual(['a', 'a', 'a', 'x']);
  agents.clear();
  expect(agents.threadsOf('a')).toEqual([]);
});

test('a circle comes to an end', () => {
  const agents = new SubAgents();
  agents.observe('a', sends('b'));
  agents.observe('b', sends('a'));
  expect(['a', 'b']).toContain(agents.sessionOf('a'));
});
