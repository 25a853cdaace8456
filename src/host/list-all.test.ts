import { expect, test } from 'vitest';
import { listAll } from './list-all.ts';

/** A server that answers from a script, and what it was asked. */
function scripted(...answers: unknown[]) {
  const asked: unknown[] = [];
  const server = {
    async request(method: string, params?: unknown) {
      asked.push([method, params]);
      return answers[Math.min(asked.length, answers.length) - 1];
    },
  };
  return { server, asked };
}

test.each([undefined, null, [], {}, { tools: 'none' }, { prompts: [] }])('%j is no list of tools', async (answer) => {
  await expect(listAll(scripted(answer).server, 'tools')).rejects.toMatchObject({
    code: 'BAD_ANSWER',
    message: 'tools/list was answered without a list of tools.',
  });
});

test('a cursor that leads in a circle is noticed', async () => {
  const { server, asked } = scripted(
    { tools: [1], nextCursor: 'a' },
    { tools: [2], nextCursor: 'b' },
    { tools: [3], nextCursor: 'a' },
  );
  await expect(listAll(server, 'tools')).rejects.toMatchObject({
    code: 'BAD_ANSWER',
    message: 'tools/list comes to no end: its cursor leads in a circle.',
  });
  expect(asked).toHaveLength(3);
});

test('every page is had, as it was written', async () => {
  const { server, asked } = scripted(
    { resourceTemplates: [{ name: 'a' }], nextCursor: '1' },
    { resourceTemplates: [], nextCursor: '2' },
    { resourceTemplates: [{ name: 'b' }, 7], nextCursor: '' },
  );
  expect(await listAll(server, 'resourceTemplates')).toEqual([[{ name: 'a' }], [], [{ name: 'b' }, 7]]);
  expect(asked).toEqual([
    ['resources/templates/list', {}],
    ['resources/templates/list', { cursor: '1' }],
    ['resources/templates/list', { cursor: '2' }],
  ]);
});
