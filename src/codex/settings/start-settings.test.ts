import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openMemorySessions } from '../../../test/contracts/sessions-in-memory.ts';
import type { OperatorLimits } from '../limits/operator-limits.ts';
import type { ServerContext } from '../server-context.ts';
import { openSavedSettings } from './saved-settings.ts';
import { checkStart, checkText, type StartArguments, toApprovalPolicy } from './start-settings.ts';

let root = '';
const GIVEN = { prompt: 'Do it.', skipGitRepoCheck: true };

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'settings-'));
  await mkdir(join(root, 'work'));
  await mkdir(join(root, 'more'));
  await mkdir(join(root, 'codex'));
  await writeFile(join(root, 'codex', 'fast.config.toml'), 'model = "small"\n[tui]\ntheme = "dark"\n');
});
afterAll(() => rm(root, { recursive: true }));

test.each<[string, Partial<StartArguments>, string, RegExp]>([
  ['an empty prompt', { prompt: ' \n' }, 'BAD_ARGUMENTS', /^prompt is empty: say what Codex should do\.$/],
  ['a prompt that is too long', { prompt: 'x'.repeat(1_048_577) }, 'BAD_ARGUMENTS', /^prompt has 1048577 characters/],
  ['a folder outside a git repository', { skipGitRepoCheck: false }, 'BAD_ARGUMENTS', /is not inside a git repository/],
  [
    'a missing working folder',
    { workingDirectory: 'nowhere' },
    'BAD_ARGUMENTS',
    /^workingDirectory: there is no folder/,
  ],
  ['a missing additional folder', { addDirs: ['nowhere'] }, 'BAD_ARGUMENTS', /^addDirs: there is no folder/],
  ['a missing image', { images: ['a.png'] }, 'BAD_ARGUMENTS', /^images: there is no file/],
  ['a missing profile', { profile: 'slow' }, 'CONFIG_INVALID', /^Codex has no profile slow: /],
  ['danger-full-access', { sandbox: 'danger-full-access' }, 'DENIED', /--allow-dangerous/],
  [
    'danger-full-access in the config',
    { config: { sandbox_mode: 'danger-full-access' } },
    'DENIED',
    /--allow-dangerous/,
  ],
  ['the bypass', { dangerouslyBypassApprovalsAndSandbox: true }, 'DENIED', /--allow-dangerous/],
  ['a program in the config', { config: { notify: '["sh"]' } }, 'DENIED', /^config\.notify may give/],
  [
    'an MCP server in the config',
    { config: { 'mcp_servers.x.command': 'sh' } },
    'DENIED',
    /^config\.mcp_servers\.x may give/,
  ],
])('rejects before it starts anything: %s', async (_, over, code, message) => {
  await expect(checkStart({ ...GIVEN, ...over }, serverContext())).rejects.toMatchObject({
    code,
    message: expect.stringMatching(message),
  });
});

test('accepts only harmless settings under limits', async () => {
  const limited = serverContext({ maxSandbox: 'workspace-write' });
  const config = { model_reasoning_effort: 'low', 'mcp_servers.x.enabled': 'false' };

  await expect(checkStart({ ...GIVEN, config: { tui: '{}' } }, limited)).rejects.toMatchObject({ code: 'DENIED' });
  expect((await checkStart({ ...GIVEN, config }, limited)).settings.config).toEqual({
    model_reasoning_effort: 'low',
    mcp_servers: { x: { enabled: false } },
  });
});

test('passes on only what the caller sets', async () => {
  expect(await checkStart(GIVEN, serverContext())).toEqual({
    settings: { cwd: join(root, 'work'), skipsGitCheck: true },
    input: { text: 'Do it.', images: [] },
    warnings: [],
  });
});

test('reads every setting', async () => {
  const texts = {
    model: 'm',
    effort: 'low',
    baseInstructions: 'b',
    developerInstructions: 'd',
    compactPrompt: 'c',
    name: 'n',
    sandbox: 'read-only',
    approvalPolicy: 'untrusted',
  } as const;
  const config = { 'tui.theme': 'light', 'a.b': '[1, true]', c: 'plain text', n: 3 };

  expect(
    await checkStart({ ...GIVEN, ...texts, config, addDirs: ['../more'], profile: 'fast' }, serverContext()),
  ).toEqual({
    settings: {
      ...texts,
      cwd: join(root, 'work'),
      skipsGitCheck: true,
      addDirs: [join(root, 'more')],
      profile: { name: 'fast', overrides: { model: 'small', tui: { theme: 'dark' } } },
      config: { model: 'small', tui: { theme: 'light' }, a: { b: [1, true] }, c: 'plain text', n: 3 },
    },
    input: { text: 'Do it.', images: [] },
    warnings: [],
  });
});

test('fullAuto yields to explicit settings, and the bypass overrides all if it is allowed', async () => {
  const auto = await checkStart({ ...GIVEN, fullAuto: true }, serverContext());
  expect(auto.settings).toMatchObject({ approvalPolicy: 'on-request', sandbox: 'workspace-write' });
  const mixed = await checkStart({ ...GIVEN, fullAuto: true, sandbox: 'read-only' }, serverContext());
  expect(mixed.settings).toMatchObject({ approvalPolicy: 'on-request', sandbox: 'read-only' });
  const given = { ...GIVEN, sandbox: 'read-only', dangerouslyBypassApprovalsAndSandbox: true } as const;

  expect((await checkStart(given, serverContext({ allowsDanger: true }))).settings).toMatchObject({
    approvalPolicy: 'never',
    sandbox: 'danger-full-access',
  });
});

test('maps a removed approval policy to the closest one, with a warning', async () => {
  expect(toApprovalPolicy(undefined)).toEqual({ policy: undefined, warnings: [] });
  expect(toApprovalPolicy('never')).toEqual({ policy: 'never', warnings: [] });
  expect(await checkStart({ ...GIVEN, approvalPolicy: 'on-failure' }, serverContext())).toMatchObject({
    settings: { approvalPolicy: 'on-request' },
    warnings: ['approvalPolicy "on-failure" no longer exists in Codex: this session runs with "on-request".'],
  });
});

test('passes text to the model unchanged', () => {
  expect(checkText('  spaces stay  ', 'message')).toBe('  spaces stay  ');
});

function serverContext(over: Partial<OperatorLimits> = {}): ServerContext {
  return {
    sessions: openMemorySessions().sessions,
    operatorLimits: { maxSandbox: 'danger-full-access', allowsDanger: false, roots: [], ...over },
    cwd: join(root, 'work'),
    home: root,
    codexHome: join(root, 'codex'),
    protectedFolders: [],
    savedSettings: openSavedSettings(root),
    maxWaitMs: () => 0,
  };
}
