import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { JsonObject } from '../codex/json.ts';
import { createProcessTracker } from '../processes.ts';
import { verifies } from '../verifies.ts';
import { type CodexClient, openTestbed, type Testbed } from './testbed.ts';

const processes = createProcessTracker();
let testbed: Testbed;
let client: CodexClient;
let root: string;
let noRepository: string;

/** `ROOT` contains `work`, where the server runs and all sessions must work, and `outside`, which is forbidden. */
beforeAll(async () => {
  testbed = await openTestbed(processes);
  root = testbed.home.rootDir;
  noRepository = await mkdtemp(join(tmpdir(), 'switchboard-no-repository-'));
  await mkdir(join(root, 'outside'));
  await symlink(join(root, 'outside'), join(root, 'work', 'link'));
  await writeFile(join(root, 'work', 'text.png'), 'no image');
  await writeFile(join(root, 'codex', 'broken.config.toml'), 'model = "a"\neffort =\n');
  client = await testbed.serve({ args: ['--allow-root', join(root, 'work'), '--tools', 'full'] });
});

afterAll(async () => {
  await testbed[Symbol.asyncDispose]();
  await rm(noRepository, { recursive: true });
  await processes.assertAllGone({ withinMs: 20_000 });
});

const NOBODY = '01a1e315-0000-7000-8000-000000000000';
const FREE = { prompt: 'hello', skipGitRepoCheck: true };
const LONG = 'x'.repeat(10_000_000);
const TOO_LONG = 'has 10000000 characters, but Codex accepts at most 1048576. Write it to a file and pass its path.';
const OUTSIDE = 'is outside of the folders that the operator of this server allows (--allow-root): ROOT/work';

async function refusal(tool: string, args: JsonObject): Promise<string> {
  return (await client.failure(tool, args)).replaceAll(root, 'ROOT');
}

describe('an unknown session', () => {
  const unknown = (id: string) => `There is no session ${id}. codex_list shows all sessions.`;
  /** For tools that know only sessions of this server: a stored session gets the same error as an unknown one. */
  const notHere = (id: string) =>
    `No turn of session ${id} has run in this server. codex_status reads a stored session, codex_say continues one, codex_list shows all.`;
  const calls: readonly (readonly [string, JsonObject, string])[] = [
    ['codex_status', {}, unknown(NOBODY)],
    ['codex_respond', { id: 'approval_1', answers: ['approve'] }, notHere(NOBODY)],
    ['codex_interrupt', {}, notHere(NOBODY)],
    ['codex_say', { message: 'hello' }, unknown(NOBODY)],
    ['codex_fork', {}, unknown(NOBODY)],
    ['codex_read', {}, unknown(NOBODY)],
    ['codex_diff', {}, unknown(NOBODY)],
    ['codex_usage', {}, notHere(NOBODY)],
  ];
  for (const [tool, args, text] of calls)
    verifies(['codex:server:unknown-session', 'codex:say:nowhere'], `is named in the error of ${tool}`, async () => {
      expect(await refusal(tool, { sessionId: NOBODY, ...args })).toBe(text);
    });

  test('is named by codex_wait, and is never used as a path', async () => {
    expect(await refusal('codex_wait', { sessionIds: [NOBODY] })).toBe(notHere(NOBODY));
    expect(await refusal('codex_read', { sessionId: '../../codex/config' })).toBe(unknown('../../codex/config'));
    expect(await refusal('codex_wait', { sessionIds: [] })).toBe('sessionIds must name 1 to 50 sessions.');
  });
});

describe('a text', () => {
  test('that is empty is rejected', async () => {
    expect(await refusal('codex_start', { ...FREE, prompt: ' \n' })).toBe('prompt is empty: say what Codex should do.');
    expect(await refusal('codex_say', { sessionId: NOBODY, message: '' })).toBe(
      'message is empty: say what Codex should do.',
    );
  });

  test('of ten million characters is rejected, and the server keeps running', async () => {
    expect(await refusal('codex_start', { ...FREE, prompt: LONG })).toBe(`prompt ${TOO_LONG}`);
    expect(await refusal('codex_say', { sessionId: NOBODY, message: LONG })).toBe(`message ${TOO_LONG}`);
    expect(await client.request('ping')).toEqual({});
  });
});

describe('a start', () => {
  const cases: readonly (readonly [string, JsonObject, string])[] = [
    ['in a missing folder', { workingDirectory: 'gone' }, 'workingDirectory: there is no folder ROOT/work/gone.'],
    ['in a file', { workingDirectory: 'text.png' }, 'workingDirectory: ROOT/work/text.png is not a folder.'],
    ['in a folder that is not allowed', { workingDirectory: '/' }, `workingDirectory: / ${OUTSIDE}`],
    ['above the allowed folder', { workingDirectory: '../work/..' }, `workingDirectory: ROOT ${OUTSIDE}`],
    ['behind a link out of it', { workingDirectory: 'link' }, `workingDirectory: ROOT/work/link ${OUTSIDE}`],
    ['with a further folder outside', { addDirs: ['.', '../outside'] }, `addDirs: ROOT/outside ${OUTSIDE}`],
    ['with a missing image', { images: ['gone.png'] }, 'images: there is no file ROOT/work/gone.png.'],
    ['with a folder as image', { images: ['.'] }, 'images: ROOT/work is not a file.'],
    [
      'with a text as image',
      { images: ['text.png'] },
      'images: ROOT/work/text.png is not an image that Codex accepts (PNG, JPEG, GIF or WebP).',
    ],
    ['with an image outside', { images: ['../codex/config.toml'] }, `images: ROOT/codex/config.toml ${OUTSIDE}`],
    [
      'with a missing profile',
      { profile: 'gone' },
      'Codex has no profile gone: there is neither ROOT/codex/gone.config.toml nor [profiles.gone] in ROOT/codex/config.toml. Create the first of them, or leave the profile out.',
    ],
    ['with a path as profile', { profile: '../x' }, '../x is not a profile name: give a plain name such as work.'],
    [
      'with a broken profile',
      { profile: 'broken' },
      'ROOT/codex/broken.config.toml:2: This is not TOML: invalid value.',
    ],
    ['with an empty key', { config: { 'a..b': '1' } }, 'config: the key a..b cannot be used: a part of it is empty.'],
    [
      'with half a quote in a key',
      { config: { 'a."b': '1' } },
      String.raw`config: the key "a.\"b" cannot be used: its quotes do not match.`,
    ],
    [
      'with two keys for one place',
      { config: { a: '1', 'a.b': '2' } },
      'config: the key a.b cannot be used: another key sets the same value.',
    ],
    [
      'with a key that is no name',
      { config: { '__proto__.x': '1' } },
      'config: the key __proto__.x cannot be used: __proto__ is not the name of a setting.',
    ],
    [
      'with a value that Codex does not take',
      { config: { model_reasoning_effort: '[1]' } },
      'Codex refused to start the session: failed to load configuration: invalid type: sequence, expected a string in `model_reasoning_effort`',
    ],
  ];
  for (const [name, args, text] of cases)
    test(`${name} reports what is wrong`, async () => {
      expect(await refusal('codex_start', { ...FREE, ...args })).toBe(text);
    });

  verifies('codex:start:git-repo', 'outside a git repository explains how to allow it', async () => {
    const other = await testbed.serve({ cwd: noRepository });
    expect(await other.failure('codex_start', { prompt: 'hello' })).toBe(
      `${noRepository} is not inside a git repository, so changes made by Codex could not be undone. Choose another workingDirectory, or set skipGitRepoCheck: true.`,
    );
  });
});

describe('invalid arguments', () => {
  const cases: readonly (readonly [string, JsonObject, string])[] = [
    ['codex_start', { prompt: 5 }, 'prompt: expected string, got number'],
    ['codex_start', { ...FREE, images: 'a.png' }, 'images: expected array, got string'],
    ['codex_start', { ...FREE, waitSeconds: '5' }, 'waitSeconds: expected number, got string'],
    ['codex_start', { ...FREE, config: { model: 3 } }, 'config.model: expected string, got number'],
    ['codex_start', { ...FREE, sandbox: 'none' }, 'sandbox: '],
    ['codex_start', { ...FREE, approvalPolicy: 'always' }, 'approvalPolicy: '],
    ['codex_say', { sessionId: NOBODY }, 'message: missing'],
    ['codex_say', { sessionId: NOBODY, message: 'x', onBusy: 'wait' }, 'onBusy: '],
    ['codex_status', {}, 'sessionId: missing'],
    ['codex_respond', { sessionId: NOBODY, id: 'x' }, 'answers: missing'],
    ['codex_interrupt', {}, 'sessionId: missing'],
    ['codex_status', { sessionId: NOBODY, verbose: true }, 'verbose: not known'],
    ['codex_list', { limit: 'many' }, 'limit: expected number, got string'],
  ];
  for (const [tool, args, text] of cases)
    verifies('codex:server:arguments-checked', `are reported by ${tool}: ${text}`, async () => {
      const reported = await refusal(tool, args);
      expect(reported.startsWith(`Invalid arguments for tool "${tool}": `)).toBe(true);
      expect(reported.split(' Allowed: ')[0]).toContain(text);
    });

  test('never reach the model', () => {
    expect(testbed.model.requests).toEqual([]);
  });
});
