import { appendFileSync, chmodSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openDurableSessionIds } from '../../src/serve/fronts/http/durable-session-ids.ts';
import { useTemporaryFolders } from '../temporary-folder.ts';
import { verifies } from '../verifies.ts';
import { createTestAccess, openTestFront, TOKENS } from './front.ts';
import { toolCall } from './raw-client.ts';

const LIST = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
const ALICE = { authorization: `Bearer ${TOKENS.alice}` };
const BOB = { authorization: `Bearer ${TOKENS.bob}` };

const createFolder = useTemporaryFolders();

/** Files of session ids, which several fronts use one after the other. */
function createFiles() {
  const folder = createFolder();
  const keyFile = join(folder, 'data', 'session.key');
  const journalFile = join(folder, 'data', 'sessions.jsonl');
  const problems: string[] = [];
  let now = 1_000_000;
  const openIds = () =>
    openDurableSessionIds({
      keyFile,
      journalFile,
      maxIdleMs: 1000,
      onProblem: (text) => problems.push(text),
      now: () => now,
    });
  /** Opens a front as a new process would. */
  const start = (access = createTestAccess({ required: true })) => openFront({ access });
  const openFront = (options: Parameters<typeof openTestFront>[0]) =>
    openTestFront({ sessionIds: openIds(), access: createTestAccess({ required: true }), ...options });
  const pass = (ms: number) => {
    now += ms;
  };
  return { keyFile, journalFile, problems, start, openFront, pass };
}

test('a session continues in the next process, with its settings, and without a new initialize', async () => {
  const { start, problems } = createFiles();
  const first = await start();
  const { headers, session } = await first.raw.initialize({ headers: ALICE, version: '2025-06-18' });
  expect(session.length).toBeLessThanOrEqual(2048);
  await first.raw.post({ jsonrpc: '2.0', id: 1, method: 'logging/setLevel', params: { level: 'error' } }, headers);
  // Without `close`: the process was killed.
  const second = await start();
  expect((await second.raw.post(LIST, headers)).status).toBe(200);
  // Below the restored level, so it is not sent, and the response is plain JSON.
  const counted = await second.raw.post(toolCall(2, 'count'), headers);
  expect(counted.headers['content-type']).toBe('application/json');
  const stream = await second.raw.open({ method: 'GET', headers });
  await stream.next();
  second.server.tool('new', { description: 'New.' }, () => 'new');
  expect((await stream.next()).message?.method).toBe('notifications/tools/list_changed');
  expect(problems).toEqual([]);
});

verifies(
  'http:session:lost-response',
  'resuming the stream of a request that an earlier process received ends with an error',
  async () => {
    const { start } = createFiles();
    const first = await start();
    const { headers } = await first.raw.initialize({ headers: ALICE });
    const stream = await first.raw.open({ method: 'POST', headers, body: JSON.stringify(toolCall('mine', 'count')) });
    const { id } = await stream.next();
    const second = await start();
    const resumed = await second.raw.open({ method: 'GET', headers: { ...headers, 'last-event-id': String(id) } });
    await expect
      .poll(async () => (await resumed.next()).message)
      .toMatchObject({
        id: 'mine',
        error: { code: 1104, message: expect.stringContaining('check before repeating') },
      });
    await resumed.ended;
  },
);

test('a session with large capabilities gets an id that refers to them', async () => {
  const { start } = createFiles();
  const first = await start();
  const capabilities = { elicitation: {}, experimental: { large: 'x'.repeat(5000) } };
  const { headers, session } = await first.raw.initialize({ headers: ALICE, capabilities });
  expect(session.length).toBeLessThan(200);
  const second = await start();
  const response = await second.raw.open({ headers, body: JSON.stringify(toolCall(1, 'ask')) });
  expect((await response.next()).message?.method).toBe('elicitation/create');
});

test('a session that was used just before its process was killed does not expire', async () => {
  const { start, pass } = createFiles();
  const { headers } = await (await start()).raw.initialize({ headers: ALICE });
  for (let process = 0; process < 3; process++) {
    pass(900);
    expect((await (await start()).raw.post(LIST, headers)).status).toBe(200);
  }
});

test('if there are too many sessions, a session of an earlier process can be continued later', async () => {
  const { start, openFront } = createFiles();
  const { headers } = await (await start()).raw.initialize({ headers: ALICE });
  const next = await openFront({ limits: { maxSessions: 1 } });
  const other = await next.raw.initialize({ headers: BOB });
  const refused = await next.raw.post(LIST, headers);
  expect(refused.status).toBe(503);
  expect(refused.headers['retry-after']).toBe('1');
  await next.raw.send({ method: 'DELETE', headers: other.headers });
  expect((await next.raw.post(LIST, headers)).status).toBe(200);
});

describe('an id is unknown in the next process', () => {
  test('with another token', async () => {
    const { start } = createFiles();
    const { headers } = await (await start()).raw.initialize({ headers: ALICE });
    expect((await (await start()).raw.post(LIST, { ...headers, ...BOB })).status).toBe(404);
  });

  test('if it was changed', async () => {
    const { start } = createFiles();
    const { headers, session } = await (await start()).raw.initialize({ headers: ALICE });
    const changed = { ...headers, 'mcp-session-id': `${session.slice(0, -2)}AA` };
    expect((await (await start()).raw.post(LIST, changed)).status).toBe(404);
  });

  test('if the client deleted the session', async () => {
    const { start } = createFiles();
    const { raw } = await start();
    const { headers } = await raw.initialize({ headers: ALICE });
    await raw.send({ method: 'DELETE', headers });
    expect((await raw.post(LIST, headers)).status).toBe(404);
    expect((await (await start()).raw.post(LIST, headers)).status).toBe(404);
  });

  test('if its token was revoked, even if the same token is valid again', async () => {
    const { start } = createFiles();
    const access = createTestAccess({ required: true });
    const { headers } = await (await start(access)).raw.initialize({ headers: ALICE });
    access.revoke(TOKENS.alice);
    expect((await (await start()).raw.post(LIST, headers)).status).toBe(404);
  });

  test('if it was not used for too long', async () => {
    const { start, pass } = createFiles();
    const { headers } = await (await start()).raw.initialize({ headers: ALICE });
    pass(1001);
    expect((await (await start()).raw.post(LIST, headers)).status).toBe(404);
  });

  test('of another user', async () => {
    const { headers } = await (await createFiles().start()).raw.initialize({ headers: ALICE });
    expect((await (await createFiles().start()).raw.post(LIST, headers)).status).toBe(404);
  });

  test.each([
    ['the key is lost', 'keyFile', (file: string) => rmSync(file)],
    ['the key is damaged', 'keyFile', (file: string) => writeFileSync(file, 'short')],
    ['others could read the key', 'keyFile', (file: string) => chmodSync(file, 0o640)],
    ['the journal is lost', 'journalFile', (file: string) => rmSync(file)],
    ['the journal is damaged', 'journalFile', (file: string) => appendFileSync(file, 'garbage\n')],
    ['the journal is empty', 'journalFile', (file: string) => writeFileSync(file, '')],
  ] as const)('if %s, and the operator is told', async (_, which, harm) => {
    const files = createFiles();
    const { headers } = await (await files.start()).raw.initialize({ headers: ALICE });
    harm(files[which]);
    expect((await (await files.start()).raw.post(LIST, headers)).status).toBe(404);
    expect(files.problems).toEqual([expect.stringContaining('Earlier HTTP sessions have ended')]);
  });
});

test('a line that a crash has cut off is ignored', async () => {
  const { start, journalFile, problems } = createFiles();
  const { headers } = await (await start()).raw.initialize({ headers: ALICE });
  appendFileSync(journalFile, '{"key":"abc","changedA');
  expect((await (await start()).raw.post(LIST, headers)).status).toBe(200);
  expect(problems).toEqual([]);
});

test('the files are private, contain no id, and a link in place of the key is not followed', async () => {
  const { start, keyFile, journalFile } = createFiles();
  const { raw } = await start();
  const { headers, session } = await raw.initialize({ headers: ALICE });
  await raw.send({ method: 'DELETE', headers });
  for (const file of [keyFile, journalFile]) expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(readFileSync(journalFile, 'utf8')).toContain('hasEnded');
  expect(readFileSync(journalFile, 'utf8')).not.toContain(session);
  const target = `${keyFile}.target`;
  writeFileSync(target, Buffer.alloc(32), { mode: 0o600 });
  rmSync(keyFile);
  symlinkSync(target, keyFile);
  await start();
  expect(readFileSync(keyFile).equals(Buffer.alloc(32))).toBe(false);
  expect(readFileSync(target).equals(Buffer.alloc(32))).toBe(true);
});
