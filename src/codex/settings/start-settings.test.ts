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
  ['no prompt', { prompt: ' \n' }, 'BAD_ARGUMENTS', /^prompt is empty: say what Codex should do\.$/],
  ['too long a prompt', { prompt: 'x'.repeat(1_048_577) }, 'BAD_ARGUMENTS', /^prompt has 1048577 characters/],
  ['no version control', { skipGitRepoCheck: false }, 'BAD_ARGUMENTS', /is not inside a git repository/],
  ['no such folder', { workingDirectory: 'nowhere' }, 'BAD_ARGUMENTS', /^workingDirectory: there is no folder/],
  ['no such further folder', { addDirs: ['nowhere'] }, 'BAD_ARGUMENTS', /^addDirs: there is no folder/],
  ['no such image', { images: ['a.png'] }, 'BAD_ARGUMENTS', /^images: there is no file/],
  ['no such profile', { profile: 'slow' }, 'CONFIG_INVALID', /^Codex has no profile slow: /],
  ['no sandbox', { sandbox: 'danger-full-access' }, 'DENIED', /--allow-dangerous/],
  ['no sandbox by configuration', { config: { sandbox_mode: 'danger-full-access' } }, 'DENIED', /--allow-dangerous/],
  ['the bypass', { dangerouslyBypassApprovalsAndSandbox: true }, 'DENIED', /--allow-dangerous/],
  ['a program of the caller', { config: { notify: '["sh"]' } }, 'DENIED', /^config\.notify may give/],
  [
    'a server of the caller',
    { config: { 'mcp_servers.x.command': 'sh' } },
    'DENIED',
    /^config\.mcp_servers\.x may give/,
  ],
])('refused before anything is started: %s', async (_, over, code, message) => {
  await expect(checkStart({ ...GIVEN, ...over }, serverContext())).rejects.toMatchObject({
    code,
    message: expect.stringMatching(message),
  });
});

test('where the operator has limits, only harmless settings are let through', async () => {
  const limited = serverContext({ maxSandbox: 'workspace-write' });
  const config = { model_reasoning_effort: 'low', 'mcp_servers.x.enabled': 'false' };

  await expect(checkStart({ ...GIVEN, config: { tui: '{}' } }, limited)).rejects.toMatchObject({ code: 'DENIED' });
  expect((await checkStart({ ...GIVEN, config }, limited)).settings.config).toEqual({
    model_reasoning_effort: 'low',
    mcp_servers: { x: { enabled: false } },
  });
});

test('only what the caller sets is passed on', async () => {
  expect(await checkStart(GIVEN, serverContext())).toEqual({
    settings: { cwd: join(root, 'work'), skipsGitCheck: true },
    input: { text: 'Do it.', images: [] },
    warnings: [],
  });
});

test('everything that can be set', async () => {
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

test('fullAuto is two settings that others win over; the bypass wins over all, where it is allowed', async () => {
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

test('a word of older versions is taken for what is closest, with a warning', async () => {
  expect(toApprovalPolicy(undefined)).toEqual({ policy: undefined, warnings: [] });
  expect(toApprovalPolicy('never')).toEqual({ policy: 'never', warnings: [] });
  expect(await checkStart({ ...GIVEN, approvalPolicy: 'on-failure' }, serverContext())).toMatchObject({
    settings: { approvalPolicy: 'on-request' },
    warnings: ['approvalPolicy "on-failure" no longer exists in Codex: this session runs with "on-request".'],
  });
});

test('a text goes to the model as it is', () => {
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
