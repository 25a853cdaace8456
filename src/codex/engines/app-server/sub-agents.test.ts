import { expect, test } from 'vitest';
import { SubAgents } from './sub-agents.ts';

const sends = (...receiverThreadIds: readonly unknown[]) => ({
  item: { type: 'collabAgentToolCall', receiverThreadIds },
});

test.each([{}, { item: 'none' }, { item: { type: 'agentMessage' } }, sends(7), { item: { type: 'subAgentActivity' } }])(
  'an item that sends nobody: %j',
  (params) => {
    const agents = new SubAgents();
    agents.learn('a', params);
    expect(agents.of('a')).toEqual([]);
  },
);

test('agents of agents work for the session, and nobody works for themselves', () => {
  const agents = new SubAgents();
  agents.learn('a', sends('b', 'a'));
  agents.learn('b', { item: { type: 'subAgentActivity', agentThreadId: 'c' } });

  expect([agents.of('a'), agents.of('b')]).toEqual([['b', 'c'], []]);
  expect(['a', 'b', 'c', 'x'].map((id) => agents.sessionOf(id))).toEqual(['a', 'a', 'a', 'x']);
  agents.clear();
  expect(agents.of('a')).toEqual([]);
});

test('a circle comes to an end', () => {
  const agents = new SubAgents();
  agents.learn('a', sends('b'));
  agents.learn('b', sends('a'));
  expect(['a', 'b']).toContain(agents.sessionOf('a'));
});
