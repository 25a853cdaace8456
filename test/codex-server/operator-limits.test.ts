import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { JsonObject } from '../codex/json.ts';
import { script } from '../codex/script.ts';
import { createProcessTracker } from '../processes.ts';
import { verifies } from '../verifies.ts';
import { startArguments } from './stop-phases.ts';
import { type CodexClient, openTestbed, type Testbed } from './testbed.ts';

const processes = createProcessTracker();
let testbed: Testbed;
let outside: string;
/** Three servers: without limits, with limits, and with everything allowed. */
let plain: CodexClient;
let limited: CodexClient;
let free: CodexClient;

beforeAll(async () => {
  testbed = await openTestbed(processes);
  outside = join(testbed.home.rootDir, 'outside');
  await mkdir(outside);
  await writeFile(join(testbed.home.codexDir, 'open.config.toml'), 'sandbox_mode = "danger-full-access"\n');
  const limits = ['--max-sandbox', 'read-only', '--allow-root', testbed.home.workDir];
  plain = await testbed.serve();
  limited = await testbed.serve({ args: limits });
  free = await testbed.serve({ env: { SWITCHBOARD_ALLOW_DANGEROUS: '1' } });
});

afterAll(async () => {
  await testbed[Symbol.asyncDispose]();
  await processes.assertAllGone({ withinMs: 20_000 });
});

const ALLOW = 'switchboard codex --allow-dangerous (or SWITCHBOARD_ALLOW_DANGEROUS=1).';
const DANGER = `The sandbox danger-full-access is not allowed here. The operator of this server must allow it: ${ALLOW}`;
const refused = (key: string) =>
  `config.${key} may give a session more than its sandbox allows. The operator of this server must allow it: ${ALLOW}`;

const start = (more: JsonObject): JsonObject => ({ prompt: 'hello', skipGitRepoCheck: true, ...more });
/** A command that writes where the sandbox allows it. */
const writes = (file: string) => startArguments([{ shell: `echo hi > ${file}` }, { message: 'tried' }]);

describe('without --allow-dangerous', () => {
  verifies(['codex:start:danger-sandbox', 'codex:start:bypass'], 'a session without a sandbox is refused', async () => {
    expect(await plain.failure('codex_start', start({ sandbox: 'danger-full-access' }))).toBe(DANGER);
    expect(await plain.failure('codex_start', start({ dangerouslyBypassApprovalsAndSandbox: true }))).toBe(DANGER);
    expect(await plain.failure('codex_start', start({ config: { sandbox_mode: 'danger-full-access' } }))).toBe(DANGER);
    const quoted = { '"sandbox_mode"': '"danger-full-access"' };
    expect(await plain.failure('codex_start', start({ config: quoted }))).toBe(DANGER);
  });

  test.each([
    ['mcp_servers.x', { 'mcp_servers.x.command': 'sh' }],
    ['mcp_servers.x', { mcp_servers: '{ x = { command = "sh" } }' }],
    ['mcp_servers.x', { 'mcp_servers.x.env.LD_PRELOAD': 'evil.so' }],
    ['notify', { notify: '["sh"]' }],
    ['hooks', { 'hooks.session_start': '[]' }],
    ['model_providers', { 'model_providers.x.base_url': 'http://127.0.0.1:1' }],
    ['openai_base_url', { openai_base_url: 'http://127.0.0.1:1' }],
    ['mcp_servers.x', { 'mcp_servers.x.url': 'http://127.0.0.1:1', 'mcp_servers.x.bearer_token_env_var': 'SECRET' }],
    ['shell_environment_policy', { 'shell_environment_policy.set.LD_PRELOAD': 'evil.so' }],
    ['profile', { profile: 'open' }],
    ['projects', { 'projects."/".trust_level': 'trusted' }],
    ['default_permissions', { default_permissions: ':danger-full-access' }],
  ])('config.%s is rejected: %j', async (key, config) => {
    expect(await plain.failure('codex_start', start({ config }))).toBe(refused(key));
  });

  test('harmless settings are accepted', async () => {
    const config = { model_reasoning_effort: 'low', 'mcp_servers.x.enabled': 'false' };
    const reported = await plain.failure('codex_start', start({ config }));
    // The error is Codex's own, because it knows no such server.
    expect(reported).toContain('Codex refused to start the session: ');
  });

  test('a permission profile of the caller cannot replace the sandbox', async () => {
    const file = join(outside, 'by-profile');
    const config = { default_permissions: 'x', 'permissions.x.filesystem': '{ "/" = "write" }' };
    const { sandbox: _, ...args } = writes(file);

    const reported = await plain.failure('codex_start', { ...args, config, waitSeconds: 50 }).catch(String);

    expect(existsSync(file)).toBe(false);
    expect(reported).toBe(refused('default_permissions'));
  });

  test('a caller may choose a profile without a sandbox only together with one', async () => {
    const done = await plain.call('codex_start', {
      ...startArguments([{ message: 'hi' }]),
      profile: 'open',
      sandbox: 'read-only',
      waitSeconds: 50,
    });
    const sandboxOf = async ({ sessionId }: JsonObject) => (await plain.call('codex_status', { sessionId }))['sandbox'];
    expect(await sandboxOf(done)).toBe('read-only');
    const { sandbox: _, ...args } = startArguments([{ message: 'hi' }]);
    expect(await plain.failure('codex_start', { ...args, profile: 'open', waitSeconds: 50 })).toBe(DANGER);
    const open = await free.call('codex_start', { ...args, profile: 'open', waitSeconds: 50 });
    expect(open).toMatchObject({ status: 'done' });
  });

  test('a later message gets no wider sandbox than the first', async () => {
    const { sessionId } = await plain.call('codex_start', { ...startArguments([{ message: 'hi' }]), waitSeconds: 50 });
    const sayArguments = { sessionId, message: 'go on', sandbox: 'danger-full-access' };
    expect(await plain.failure('codex_say', sayArguments)).toBe(DANGER);
    expect(await plain.call('codex_status', { sessionId })).toMatchObject({ status: 'done', turnCount: 1 });
  });
});

describe('with --max-sandbox read-only and --allow-root', () => {
  const AT_MOST = 'is not allowed here: the operator of this server allows at most read-only (--max-sandbox).';

  test('a wider sandbox is rejected, however it is requested', async () => {
    const wider = `The sandbox workspace-write ${AT_MOST}`;
    expect(await limited.failure('codex_start', start({ sandbox: 'workspace-write' }))).toBe(wider);
    expect(await limited.failure('codex_start', start({ fullAuto: true }))).toBe(wider);
    expect(await limited.failure('codex_start', start({ config: { sandbox_mode: 'workspace-write' } }))).toBe(wider);
    expect(await limited.failure('codex_start', start({ profile: 'open' }))).toBe(DANGER);
    const { sessionId } = await limited.call('codex_start', { ...start({ sandbox: 'read-only' }), waitSeconds: 50 });
    const sayArguments = { sessionId, message: 'go on', sandbox: 'workspace-write' };
    expect(await limited.failure('codex_say', sayArguments)).toBe(wider);
  });

  test('no setting makes an outside folder writable', async () => {
    const client = await testbed.serve({ args: ['--allow-root', testbed.home.workDir] });
    const file = join(outside, 'by-setting');
    const config = { 'sandbox_workspace_write.writable_roots': JSON.stringify([outside]) };

    const reported = await client.failure('codex_start', { ...writes(file), config, waitSeconds: 50 }).catch(String);

    expect(existsSync(file)).toBe(false);
    expect(reported).toBe(
      `config.sandbox_workspace_write.writable_roots: ${outside} is outside of the folders that the operator of this server allows (--allow-root): ${testbed.home.workDir}`,
    );
    const gone = { 'sandbox_workspace_write.writable_roots': '["/no/such/folder"]' };
    expect(await client.failure('codex_start', start({ config: gone }))).toContain('/no/such/folder');
  });

  test('an unknown setting is rejected', async () => {
    const config = { model: 'gpt-5.5', some_day: 'new' };
    expect(await limited.failure('codex_start', start({ config }))).toBe(refused('some_day'));
  });
});

describe('with SWITCHBOARD_ALLOW_DANGEROUS=1', () => {
  verifies(
    ['codex:start:bypass', 'codex:sandbox:danger-full-access', 'codex:approval:bypass'],
    'the bypass asks for no approval and can write anywhere',
    async () => {
      const file = join(outside, 'by-bypass');
      const { sandbox: _, ...args } = writes(file);
      const done = await free.call('codex_start', {
        ...args,
        dangerouslyBypassApprovalsAndSandbox: true,
        waitSeconds: 50,
      });
      expect(await free.call('codex_status', { sessionId: done['sessionId'] })).toMatchObject({
        status: 'done',
        sandbox: 'danger-full-access',
        approvalPolicy: 'never',
      });
      expect(existsSync(file)).toBe(true);
    },
  );
});

verifies('codex:sandbox:workspace-write', 'workspace-write allows no writes outside the workspace', async () => {
  const file = join(outside, 'by-command');
  expect(await plain.call('codex_start', { ...writes(file), waitSeconds: 50 })).toMatchObject({ status: 'done' });
  expect(existsSync(file)).toBe(false);
  const inside = join(testbed.home.workDir, 'by-command');
  const { sessionId } = await plain.call('codex_start', { ...writes(inside), waitSeconds: 50 });
  expect(existsSync(inside)).toBe(true);
  const message = script([{ shell: `echo hi > ${inside}-2` }, { message: 'tried' }]);
  await plain.call('codex_say', { sessionId, message, sandbox: 'read-only', waitSeconds: 50 });
  expect(existsSync(`${inside}-2`)).toBe(false);
});
