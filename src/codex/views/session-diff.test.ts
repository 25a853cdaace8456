import { expect, test } from 'vitest';
import { storedSession } from '../../../test/contracts/engine-in-memory.ts';
import { openMemorySessions } from '../../../test/contracts/sessions-in-memory.ts';
import type { FileChange } from '../item-types.ts';
import type { Sessions } from '../sessions/sessions.ts';
import type { StoredTurn, TranscriptEntry } from '../storage/stored-session.ts';
import { readDiff } from './session-diff.ts';

const ADDED = { path: '/project/a', kind: 'add', diff: 'one\n' } as const;
const CHANGED = { path: '/project/a', kind: 'update', diff: '@@ -1 +1 @@\n-one\n+two\n' } as const;
const GONE = { path: '/project/b', kind: 'delete', diff: 'b\n' } as const;
const ADDED_DIFF = 'diff --git a/a b/a\nnew file mode 100644\n--- /dev/null\n+++ b/a\n@@ -0,0 +1,1 @@\n+one\n';
const NOTE = expect.stringContaining('reports which files changed, but not how');
const entry = (...files: FileChange[]) => ({ role: 'codex', type: 'file_change', text: '', files }) as const;

test('rejects an unknown session', async () => {
  await expect(readDiff(open([]), 'nowhere')).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' });
});

test('reports that an engine provides no diffs, whatever it knows of the files', async () => {
  const { diff: _, ...unknown } = ADDED;
  const turn = (...entries: TranscriptEntry[]): StoredTurn[] => [{ turnId: '1', status: 'completed', entries }];
  expect(await readDiff(open(turn(entry(unknown))), 's')).toEqual({
    diff: '',
    files: [{ path: '/project/a', kind: 'add' }],
    note: NOTE,
  });
  const nameless = { role: 'codex', type: 'file_change', text: '/project/a' } as const;
  expect(await readDiff(open(turn(nameless)), 's')).toEqual({ diff: '', files: [], note: NOTE });
});

test('returns the changes of the last turn of a stored session, each file once', async () => {
  const message = { role: 'codex', type: 'agent_message', text: 'Done.' } as const;
  const turns: StoredTurn[] = [
    { turnId: '1', status: 'completed', entries: [entry({ path: '/project/old', kind: 'add', diff: 'x' })] },
    { turnId: '2', status: 'completed', entries: [entry(ADDED), entry(CHANGED, GONE), message] },
  ];

  expect(await readDiff(open(turns), 's')).toEqual({
    diff: [
      ADDED_DIFF,
      'diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -1 +1 @@\n-one\n+two\n',
      'diff --git a/b b/b\ndeleted file mode 100644\n--- a/b\n+++ /dev/null\n@@ -1,1 +0,0 @@\n-b\n',
    ].join(''),
    files: [
      { path: '/project/a', kind: 'add' },
      { path: '/project/b', kind: 'delete' },
    ],
  });
  expect(await readDiff(open([]), 's')).toEqual({ diff: '', files: [] });
});

test('for a running session returns the diff of Codex, else the reported changes, else nothing', async () => {
  const sessions = open([]);
  const session = sessions.registry.add({ sessionId: 's', cwd: '/project' }, {});
  session.beginTurn();
  expect(await readDiff(sessions, 's')).toEqual({ diff: '', files: [] });
  const item = { id: 'f', type: 'file_change', status: 'completed', summary: '', files: [ADDED] } as const;
  session.apply({ kind: 'item', turnId: '1', item });
  session.apply({ kind: 'item', turnId: '1', item: { ...item, id: 'g', status: 'failed', files: [GONE] } });
  const files = [{ path: '/project/a', kind: 'add' }];
  expect(await readDiff(sessions, 's')).toEqual({ diff: ADDED_DIFF, files });
  session.apply({ kind: 'diff', turnId: '1', diff: 'diff --git a/a b/a' });

  expect(await readDiff(sessions, 's')).toEqual({ diff: 'diff --git a/a b/a', files });
});

function open(turns: readonly StoredTurn[]): Sessions {
  return openMemorySessions({ stored: [storedSession('s', turns)] }).sessions;
}
