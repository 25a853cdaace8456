import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { script } from '../codex/script.ts';
import { createProcessTracker } from '../processes.ts';
import { type CodexClient, openTestbed } from './testbed.ts';

const processes = createProcessTracker();
afterAll(() => processes.assertAllGone({ withinMs: 20_000 }));

/** A session that an earlier run started with an extra folder, a profile and the caller's own configuration. */
async function openKept() {
  const testbed = await openTestbed(processes);
  const { rootDir, codexDir, workDir } = testbed.home;
  const further = join(rootDir, 'further');
  const own = join(rootDir, 'own');
  mkdirSync(further);
  const profile = join(codexDir, 'brief.config.toml');
  writeFileSync(profile, 'model_verbosity = "low"\n');
  const serve = (...args: readonly string[]) => testbed.serve({ args, env: { SWITCHBOARD_HOME: own } });
  const first = await serve();
  const { sessionId } = await first.call('codex_start', {
    prompt: script([{ message: 'first' }]),
    workingDirectory: workDir,
    sandbox: 'workspace-write',
    approvalPolicy: 'never',
    addDirs: [further],
    profile: 'brief',
    config: { model_reasoning_effort: 'high', developer_instructions: 'hidden-word' },
    waitSeconds: 50,
  });
  await first.close();
  return { testbed, first, further, own, profile, serve, sessionId: String(sessionId) };
}

const say = (client: CodexClient, sessionId: string, further: string) =>
  client.call('codex_say', {
    sessionId,
    message: script([{ shell: `echo kept > ${join(further, 'written')}` }, { message: 'second' }]),
    waitSeconds: 50,
  });

describe('after a restart of the server', () => {
  test('a session continues with its original folders, profile and config', async () => {
    const { testbed, further, serve, sessionId } = await openKept();
    await using _ = testbed;
    const client = await serve();
    expect(await say(client, sessionId, further)).toMatchObject({ status: 'done', result: 'second' });
    expect(readFileSync(join(further, 'written'), 'utf8')).toBe('kept\n');
    const body = testbed.model.requests.at(-1)?.body;
    expect(body).toMatchObject({ reasoning: { effort: 'high' }, text: { verbosity: 'low' } });
  });

  test('its fork continues with them too, also after another restart', async () => {
    const { testbed, further, serve, sessionId } = await openKept();
    await using _ = testbed;
    const second = await serve('--tools', 'full');
    const { sessionId: fork } = await second.call('codex_fork', { sessionId });
    await second.call('codex_say', { sessionId: String(fork), message: script([{ message: 'x' }]), waitSeconds: 50 });
    await second.close();
    expect(await say(await serve(), String(fork), further)).toMatchObject({ status: 'done' });
    expect(readFileSync(join(further, 'written'), 'utf8')).toBe('kept\n');
  });

  test('the settings of a later turn override the profile and the config', async () => {
    const { testbed, further, profile, serve, sessionId } = await openKept();
    await using _ = testbed;
    writeFileSync(profile, 'model_verbosity = "low"\nsandbox_mode = "workspace-write"\n');
    const second = await serve();
    const message = script([{ message: 'x' }]);
    await second.call('codex_say', { sessionId, message, sandbox: 'read-only', effort: 'low', waitSeconds: 50 });
    await second.close();
    const third = await serve();
    expect(await say(third, sessionId, further)).toMatchObject({ status: 'done' });
    expect(await third.call('codex_status', { sessionId })).toMatchObject({ sandbox: 'read-only' });
    expect(() => readFileSync(join(further, 'written'))).toThrow('ENOENT');
    expect(testbed.model.requests.at(-1)?.body).toMatchObject({ reasoning: { effort: 'low' } });
  });

  test('settings that the operator no longer allows are refused by name, with the next step', async () => {
    const { testbed, further, serve, sessionId } = await openKept();
    await using _ = testbed;
    const client = await serve('--allow-root', testbed.home.workDir);
    const reported = await client.failure('codex_say', { sessionId, message: 'go on' });
    expect(reported).toContain(`addDirs: ${further} is outside of`);
    expect(reported).toContain(`${testbed.home.workDir}. Change that, or start a new session`);
    expect(reported).not.toContain('hidden-word');
    const old = await serve('--tools', 'compat', '--allow-root', testbed.home.workDir);
    expect(await old.failure('codex-reply', { threadId: sessionId, prompt: 'go on' })).toContain('addDirs: ');
    expect(testbed.model.requests).toHaveLength(1);
  });

  test('a missing profile is an error', async () => {
    const { testbed, serve, sessionId, profile } = await openKept();
    await using _ = testbed;
    rmSync(profile);
    const reported = await (await serve()).failure('codex_say', { sessionId, message: 'go on' });
    expect(reported).toContain('Codex has no profile brief');
    expect(reported).toContain('codex_start');
  });

  test('a damaged file is an error that names it', async () => {
    const { testbed, own, serve, sessionId } = await openKept();
    await using _ = testbed;
    const file = join(own, 'codex-sessions', `${sessionId}.json`);
    writeFileSync(file, '{');
    expect(await (await serve()).failure('codex_say', { sessionId, message: 'go on' })).toContain(file);
  });
});

test.each([
  ['dropped', 'read-only'],
  ['sent', 'workspace-write'],
])('a queued message that is %s leaves a session that is resumed with %s', async (outcome, sandbox) => {
  await using testbed = await openTestbed(processes);
  const env = { SWITCHBOARD_HOME: join(testbed.home.rootDir, 'own') };
  const first = await testbed.serve({ env });
  const prompt = script(outcome === 'dropped' ? [{ hang: true }] : [{ delayMs: 3_000 }, { message: 'one' }]);
  const { sessionId } = await first.call('codex_start', { prompt, sandbox: 'read-only' });
  const next = { message: script([{ message: 'two' }]), sandbox: 'workspace-write', onBusy: 'queue' };
  expect(await first.call('codex_say', { sessionId, ...next })).toMatchObject({ delivered: 'queued' });
  if (outcome === 'dropped') await first.call('codex_interrupt', { sessionId });
  else await first.call('codex_wait', { sessionIds: [sessionId], timeoutSeconds: 50 });
  await first.close();
  const second = await testbed.serve({ env });
  await second.call('codex_say', { sessionId, message: script([{ message: 'three' }]), waitSeconds: 50 });
  expect(await second.call('codex_status', { sessionId })).toMatchObject({ sandbox });
});

test('stored settings are private and never logged', async () => {
  const { testbed, first, own, sessionId } = await openKept();
  await using _ = testbed;
  const folder = join(own, 'codex-sessions');
  expect(readdirSync(folder)).toEqual([`${sessionId}.json`]);
  expect(statSync(folder).mode & 0o777).toBe(0o700);
  expect(statSync(join(folder, `${sessionId}.json`)).mode & 0o777).toBe(0o600);
  expect(first.stderr()).not.toContain('hidden-word');
});

test('a session without settings of its own stores nothing', async () => {
  await using testbed = await openTestbed(processes);
  const own = join(testbed.home.rootDir, 'own');
  const client = await testbed.serve({ env: { SWITCHBOARD_HOME: own } });
  await client.call('codex_start', { prompt: script([{ message: 'x' }]), waitSeconds: 50 });
  expect(() => readdirSync(join(own, 'codex-sessions'))).toThrow('ENOENT');
});
