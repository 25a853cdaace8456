import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createChanges } from './changes.ts';

function follow() {
  const changes = createChanges();
  const reported: string[] = [];
  const stop = changes.listen({
    toolsChanged: () => reported.push('<tools>'),
    promptsChanged: () => reported.push('<prompts>'),
    resourcesChanged: () => reported.push('<resources>'),
    resourceUpdated: (uri) => reported.push(uri),
  });
  const change = (what: string) => {
    if (what === '<tools>') changes.toolsChanged();
    else if (what === '<prompts>') changes.promptsChanged();
    else if (what === '<resources>') changes.resourcesChanged();
    else changes.resourceUpdated(what);
  };
  return { changes, reported, stop, change };
}

const LISTS = ['<tools>', '<prompts>', '<resources>'];
const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

test('reports nothing after stop, including pending changes', async () => {
  const { reported, change, stop } = follow();
  change('a');
  stop();
  await nextTurn();
  expect(reported).toEqual([]);
});

test('reports no change from before the first listener', async () => {
  const changes = createChanges();
  changes.toolsChanged();
  changes.resourceUpdated('a');
  const reported: string[] = [];
  const report = () => reported.push('changed');
  changes.listen({ toolsChanged: report, promptsChanged: report, resourcesChanged: report, resourceUpdated: report });
  await nextTurn();
  expect(reported).toEqual([]);
});

test('reports each change of a turn once, the lists first, URIs in the order of the first change', async () => {
  const turns = fc.array(fc.array(fc.constantFrom('a', 'b', '', 'c', ...LISTS)), { maxLength: 4 });
  await fc.assert(
    fc.asyncProperty(turns, async (changesByTurn) => {
      const { reported, change, stop } = follow();
      const expected: string[] = [];
      for (const changes of changesByTurn) {
        for (const what of changes) {
          change(what);
          await Promise.resolve();
        }
        expected.push(...LISTS.filter((list) => changes.includes(list)));
        expected.push(...new Set(changes.filter((what) => !LISTS.includes(what))));
        await nextTurn();
      }
      stop();
      expect(reported).toEqual(expected);
    }),
  );
});
