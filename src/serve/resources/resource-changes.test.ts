import fc from 'fast-check';
import { expect, test } from 'vitest';
import { watchResources } from './resource-changes.ts';

type Change = string | undefined;

/** A provider that only reports changes, and the notifications that its subscriber received. */
function follow() {
  const reported: Change[] = [];
  let change: (uri: Change) => void = () => {};
  let isFollowed = true;
  const provider = {
    list: () => [],
    templates: [],
    read: () => ({ contents: [] }),
    onChange(listener: (uri: Change) => void) {
      change = listener;
      return () => {
        isFollowed = false;
      };
    },
  };
  const stop = watchResources(provider, {
    resourcesChanged: () => reported.push(undefined),
    resourceUpdated: (uri) => reported.push(uri),
  });
  return { reported, stop, change: (uri: Change) => change(uri), isFollowed: () => isFollowed };
}

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

test('reports nothing after stop, including pending changes', async () => {
  const { reported, change, stop, isFollowed } = follow();
  change('a');
  stop();
  await nextTurn();
  expect({ reported, isFollowed: isFollowed() }).toEqual({ reported: [], isFollowed: false });
});

test('reports each change of a turn once, the list first, in the order of the first change', async () => {
  const turns = fc.array(fc.array(fc.option(fc.constantFrom('a', 'b', '', 'c'), { nil: undefined })), { maxLength: 4 });
  await fc.assert(
    fc.asyncProperty(turns, async (changesByTurn) => {
      const { reported, change, stop } = follow();
      const expected: Change[] = [];
      for (const changes of changesByTurn) {
        for (const uri of changes) {
          change(uri);
          await Promise.resolve();
        }
        if (changes.includes(undefined)) expected.push(undefined);
        expected.push(...new Set(changes.filter((uri) => uri !== undefined)));
        await nextTurn();
      }
      stop();
      expect(reported).toEqual(expected);
    }),
  );
});
