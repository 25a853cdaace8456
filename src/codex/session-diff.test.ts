import { expect, test } from 'vitest';
import { createMemoryEngine, storedSession } from '../../test/contracts/engine-in-memory.ts';
import type { EngineListener, StoredTurn } from './engine.ts';
import { readDiff } from './session-diff.ts';
import { Sessions } from './sessions.ts';

const CHANGES = [
  { path: '/w/a', kind: 'add', diff: '+one' },
  { path: '/w/b', kind: 'delete' },
] as const;

test('a session that is not there has no diff', async () => {
  await expect(readDiff(open([]), 'nowhere')).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' });
});

test('a stored session: the changes of its last turn', async () => {
  const entries = [
    { role: 'codex', type: 'file_change', text: '/w/a, /w/b', files: CHANGES },
    { role: 'codex', type: 'agent_message', text: 'Done.' },
  ] as const;
  const turns: StoredTurn[] = [
    { turnId: '1', status: 'completed', entries: [{ ...entries[0], files: [{ path: '/w/old', kind: 'add' }] }] },
    { turnId: '2', status: 'completed', entries },
  ];

  expect(await readDiff(open(turns), 's')).toEqual({
    diff: '# add /w/a\n+one\n# delete /w/b\n',
    files: [
      { path: '/w/a', kind: 'add' },
      { path: '/w/b', kind: 'delete' },
    ],
  });
  expect(await readDiff(open([]), 's')).toEqual({ diff: '', files: [] });
});

test("a session that runs here: Codex's own diff, else the changes that it told, else nothing", async () => {
  const sessions = open([]);
  const session = sessions.roster.adopt({ sessionId: 's', cwd: '/w' }, {});
  session.begin();
  expect(await readDiff(sessions, 's')).toEqual({ diff: '', files: [] });
  const item = { id: 'f', type: 'file_change', status: 'completed', summary: '', files: [CHANGES[0]] } as const;
  session.apply({ kind: 'item', turnId: '1', item });
  expect(await readDiff(sessions, 's')).toEqual({ diff: '# add /w/a\n+one', files: [{ path: '/w/a', kind: 'add' }] });
  session.apply({ kind: 'diff', turnId: '1', diff: 'diff --git a/a b/a' });

  expect(await readDiff(sessions, 's')).toEqual({ diff: 'diff --git a/a b/a', files: [{ path: '/w/a', kind: 'add' }] });
});

function open(turns: readonly StoredTurn[]): Sessions {
  const log = { debug: () => {}, info: () => {}, warn: () => {} };
  const createEngine = (listener: EngineListener) =>
    createMemoryEngine(listener, { stored: [storedSession('s', turns)] });
  return new Sessions({ createEngine, maxSessions: 1, maxEvents: 10, approvalTimeoutMs: 1000, log });
}
