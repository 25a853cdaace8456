import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { SessionRegistry } from '../sessions/session-registry.ts';
import { FolderClaims } from './folder-claims.ts';

const outer = realpathSync(mkdtempSync(join(tmpdir(), 'work-folders-')));
const inner = join(outer, 'inner');
mkdirSync(inner);
afterAll(() => rmSync(outer, { recursive: true }));

const BUSY = { code: 'BUSY' };

test.each([
  ['the outer', outer, inner],
  ['the inner', inner, outer],
])('of two new sessions that start at the same time the second is refused: first %s', async (_, first, second) => {
  const folders = create();
  const claims = [folders.begin(), folders.begin()] as const;
  await claims[0].take(writing(first));
  await expect(claims[1].take(writing(second))).rejects.toMatchObject(BUSY);

  // The same folder may be shared, and a start may be checked more than once.
  await folders.begin().take(writing(first));
  await claims[0].take(writing(first));
});

test('a start that came to nothing holds no folder', async () => {
  const folders = create();
  const failed = folders.begin();
  await failed.take(writing(outer));
  failed.settle();

  await folders.begin().take(writing(inner));
});

test('a session whose turn ends while the commands of another are ended has its own ended too', async () => {
  const registry = new SessionRegistry({ maxSessions: 9, maxEvents: 10 });
  const ended: string[] = [];
  const folders = create(async (sessionId) => {
    ended.push(sessionId);
    registry.get('a').endTurn({ status: 'completed', lastMessage: undefined });
  });
  for (const sessionId of ['a', 'b']) {
    const claim = folders.begin();
    await claim.take(writing(outer));
    const session = registry.adopt({ sessionId, cwd: outer }, {});
    claim.bind(session);
    session.begin();
    claim.settle();
  }
  registry.get('b').endTurn({ status: 'completed', lastMessage: undefined });

  await folders.begin().take(writing(inner));

  expect(ended).toEqual(['b', 'a']);
});

function create(stopCommands: (sessionId: string) => Promise<void> = async () => {}): FolderClaims {
  return new FolderClaims({ isEnforced: true, stopCommands });
}

function writing(cwd: string) {
  return { sandbox: 'workspace-write', cwd, writableRoots: [], temporary: [], hasNetwork: false };
}
