import { expect, test } from 'vitest';
import { createMemoryEngine, SILENT_LISTENER, storedSession } from '../../../test/contracts/engine-in-memory.ts';
import { createDeferred } from '../../base/deferred.ts';
import { createOwnedEngine } from './owned-engine.ts';
import { type Ownership, ownershipOfToken, ownershipOfUser } from './ownership.ts';

const MINE = '01a10000-0000-7000-8000-000000000001';
const OTHER = '01a10000-0000-7000-8000-000000000002';
const LOCAL = '01a10000-0000-7000-8000-000000000003';
const NOWHERE = '01a10000-0000-7000-8000-000000000009';
const INPUT = { text: 'x', images: [] };

/** An engine with three sessions: of this token, of another one, and of the local user. */
function open(
  toOwnership: (owners: ReturnType<typeof createOwners>) => Ownership,
  { ready = Promise.resolve(), stored = [MINE, OTHER, LOCAL].map((id) => storedSession(id, [])) } = {},
) {
  const owners = createOwners();
  const inner = createMemoryEngine(SILENT_LISTENER, { stored });
  return { owners, inner, engine: createOwnedEngine(inner, { ownership: toOwnership(owners), ready }) };
}

function createOwners() {
  const known = new Map([
    [MINE, 'mine'],
    [OTHER, 'other'],
  ]);
  return {
    ownerOf: (id: string) => known.get(id),
    sessionsOf: (tokenId: string) => [...known].flatMap(([id, owner]) => (owner === tokenId ? [id] : [])).reverse(),
    record: (id: string, tokenId: string) => void known.set(id, tokenId),
  };
}

const asToken = (owners: ReturnType<typeof createOwners>) => ownershipOfToken(owners, 'mine');
const say = { settings: {}, turn: {}, input: INPUT };

test.each([OTHER, LOCAL, NOWHERE])('for a token, a session of others does not exist: %s', async (sessionId) => {
  const { engine, inner } = open(asToken);
  const unknown = { code: 'SESSION_NOT_FOUND', message: expect.stringContaining(`There is no session ${sessionId}.`) };
  await expect(engine.read({ sessionId, limit: 1 })).rejects.toMatchObject(unknown);
  await expect(engine.say({ sessionId, ...say })).rejects.toMatchObject(unknown);
  await expect(engine.fork({ sessionId, settings: {} })).rejects.toMatchObject(unknown);
  expect(inner.asked).toEqual([]);
});

test('a token lists, reads and continues its own sessions', async () => {
  const { engine } = open(asToken);
  const { sessionId: fork } = await engine.fork({ sessionId: MINE, settings: {} });
  const { sessionId: opened } = await engine.open({});
  const { sessionId: started } = await engine.start({ ...say, onTurnReady() {} });
  await engine.say({ sessionId: MINE, ...say });
  const { sessions } = await engine.list({ limit: 10 });
  expect(sessions.map(({ sessionId }) => sessionId)).toEqual([started, opened, fork, MINE]);
});

test('the local user has the sessions without an owner, under their usual ids only', async () => {
  const { engine } = open(ownershipOfUser);
  expect((await engine.list({ limit: 10 })).sessions.map(({ sessionId }) => sessionId)).toEqual([LOCAL]);
  expect(await engine.read({ sessionId: LOCAL, limit: 1 })).toMatchObject({ sessionId: LOCAL });
  for (const sessionId of [MINE, MINE.toUpperCase(), `{${LOCAL}}`])
    await expect(engine.read({ sessionId, limit: 1 })).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' });
});

test('nobody has the sessions of agents, because they have no owner', async () => {
  const { engine } = open(ownershipOfUser, {
    stored: [{ ...storedSession(LOCAL, []), source: '{"subAgent":"review"}' }],
  });
  expect((await engine.list({ limit: 10 })).sessions).toEqual([]);
  await expect(engine.read({ sessionId: LOCAL, limit: 1 })).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' });
});

test('no turn begins if its session cannot get an owner', async () => {
  const { engine } = open((owners) => ({
    ...asToken(owners),
    record() {
      throw new Error('the disk is full');
    },
  }));
  let isReady = false;
  const onTurnReady = () => {
    isReady = true;
  };
  await expect(engine.start({ ...say, onTurnReady })).rejects.toThrow('the disk is full');
  expect(isReady).toBe(false);
});

test('waits until an earlier engine has ended', async () => {
  const { promise, resolve } = createDeferred();
  const { engine, inner } = open(asToken, { ready: promise });
  const saying = engine.say({ sessionId: MINE, ...say });
  await new Promise((done) => setImmediate(done));
  expect(inner.asked).toEqual([]);
  resolve();
  await saying;
  expect(inner.asked).toEqual(['say x']);
});
