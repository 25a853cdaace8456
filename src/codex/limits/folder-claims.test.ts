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
])('rejects the second of two nested sessions that start together: first %s', async (_, first, second) => {
  const folders = create();
  const claims = [folders.createClaim(), folders.createClaim()] as const;
  await claims[0].acquire(writing(first));
  await expect(claims[1].acquire(writing(second))).rejects.toMatchObject(BUSY);

  // Sessions may share the same folder, and a start may be checked more than once.
  await folders.createClaim().acquire(writing(first));
  await claims[0].acquire(writing(first));
});

test('a failed start holds no folder', async () => {
  const folders = create();
  const failed = folders.createClaim();
  await failed.acquire(writing(outer));
  failed.finishStart();

  await folders.createClaim().acquire(writing(inner));
});

test('ends the commands of a session whose turn ends while those of another are being ended', async () => {
  const registry = new SessionRegistry({ maxSessions: 9, maxEvents: 10 });
  const ended: string[] = [];
  const folders = create(async (sessionId) => {
    ended.push(sessionId);
    registry.get('a').endTurn({ status: 'completed', lastMessage: undefined });
  });
  for (const sessionId of ['a', 'b']) {
    const claim = folders.createClaim();
    await claim.acquire(writing(outer));
    const session = registry.add({ sessionId, cwd: outer }, {});
    claim.bind(session);
    session.beginTurn();
    claim.finishStart();
  }
  registry.get('b').endTurn({ status: 'completed', lastMessage: undefined });

  await folders.createClaim().acquire(writing(inner));

  expect(ended).toEqual(['b', 'a']);
});

test('publishes the folders in use to other servers even above the limit of claims', async () => {
  const sessions = new SessionRegistry({ maxSessions: 3_000, maxEvents: 1 });
  const published: (readonly unknown[])[] = [];
  const registry = { publish: (used: readonly unknown[]) => void published.push(used), others: () => [] };
  const folders = new FolderClaims({ isEnforced: true, stopCommands: async () => {}, registry });
  for (let index = 0; index < 2_001; index++) {
    const claim = folders.createClaim();
    await claim.acquire(writing(outer));
    claim.bind(sessions.add({ sessionId: `s${index}`, cwd: outer }, {}));
    claim.finishStart();
  }
  expect(published.at(-1)).toEqual([]);
});

function create(stopCommands: (sessionId: string) => Promise<void> = async () => {}): FolderClaims {
  return new FolderClaims({ isEnforced: true, stopCommands });
}

function writing(cwd: string) {
  return { sandbox: 'workspace-write', cwd, writableRoots: [], tempFolders: [], hasNetwork: false };
}
