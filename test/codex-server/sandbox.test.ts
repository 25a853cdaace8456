import { existsSync, realpathSync } from 'node:fs';
import { mkdir, mkdtemp, rm, symlink } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../codex/json.ts';
import { script } from '../codex/script.ts';
import { verifies } from '../verifies.ts';
import { run, start } from './flow-session.ts';
import { shareTestbed } from './flow-testbed.ts';
import { FREE } from './testbed.ts';

const HELLO = script([{ message: 'hello' }]);
const write = (...paths: readonly string[]) => [
  { shell: paths.map((path) => `touch '${path}'`).join('; ') },
  { message: 'tried' },
];

describe('without operator settings', () => {
  const shared = shareTestbed();

  verifies('codex:sandbox:read-only', 'a command in read-only writes nothing', async () => {
    const file = join(shared.testbed.home.workDir, 'read-only.txt');
    const status = await run(shared.client, write(file), { sandbox: 'read-only' });
    expect(status).toMatchObject({ status: 'done', result: 'tried', sandbox: 'read-only' });
    expect(existsSync(file)).toBe(false);
  });

  verifies(
    'codex:sandbox:workspace-write',
    'a command in workspace-write writes only inside the workspace',
    async () => {
      const { workDir, rootDir } = shared.testbed.home;
      // Codex lets sessions write to /tmp, so a home folder below it cannot be tested.
      const isHomeClosed = relative('/tmp', realpathSync(homedir())).startsWith('..');
      const outside = [
        join(rootDir, 'outside.txt'),
        ...(isHomeClosed ? [join(homedir(), 'switchboard-test.txt')] : []),
      ];
      const inside = join(workDir, 'inside.txt');
      expect(await run(shared.client, write(inside, ...outside))).toMatchObject({
        status: 'done',
        sandbox: 'workspace-write',
      });
      expect([inside, ...outside].filter((path) => existsSync(path))).toEqual([inside]);
    },
  );

  test('addDirs folders are writable, in later turns too', async () => {
    const more = join(shared.testbed.home.rootDir, 'more');
    await mkdir(more, { recursive: true });
    const flow = await start(shared.client, write(join(more, 'one.txt')), { addDirs: ['../more'] });
    expect(await flow.settled()).toMatchObject({ status: 'done' });
    await flow.say(write(join(more, 'two.txt'), join(shared.testbed.home.rootDir, 'beside.txt')));
    expect(await flow.settled()).toMatchObject({ status: 'done' });
    expect(existsSync(join(more, 'one.txt'))).toBe(true);
    expect(existsSync(join(more, 'two.txt'))).toBe(true);
    expect(existsSync(join(shared.testbed.home.rootDir, 'beside.txt'))).toBe(false);
  });

  test('addDirs has no effect in read-only, and the session warns about it', async () => {
    const { rootDir } = shared.testbed.home;
    const status = await run(shared.client, write(join(rootDir, 'no.txt')), {
      sandbox: 'read-only',
      addDirs: [rootDir],
    });
    expect(status).toMatchObject({
      status: 'done',
      warnings: ['addDirs has an effect only in the sandbox workspace-write.'],
    });
    expect(existsSync(join(rootDir, 'no.txt'))).toBe(false);
  });

  verifies('codex:start:danger-sandbox', 'a later message cannot widen the sandbox beyond the limit', async () => {
    const flow = await start(shared.client, [{ message: 'hello' }]);
    await flow.settled();
    const args = { sessionId: flow.id, message: HELLO, sandbox: 'danger-full-access' };
    expect(await shared.client.failure('codex_say', args)).toContain('--allow-dangerous');
    expect(await flow.status()).toMatchObject({ status: 'done', sandbox: 'workspace-write', turnCount: 1 });
  });
});

describe('with --allow-dangerous', () => {
  const shared = shareTestbed({}, { args: ['--allow-dangerous'] });

  verifies(
    'codex:sandbox:danger-full-access',
    'a command in danger-full-access writes outside the workspace',
    async () => {
      const file = join(shared.testbed.home.rootDir, 'danger.txt');
      const status = await run(shared.client, write(file), { sandbox: 'danger-full-access' });
      expect(status).toMatchObject({ status: 'done', sandbox: 'danger-full-access' });
      expect(existsSync(file)).toBe(true);
    },
  );

  verifies(
    ['codex:approval:bypass', 'codex:start:bypass'],
    'the bypass asks for no approval and restricts no writes',
    async () => {
      const file = join(shared.testbed.home.rootDir, 'bypass.txt');
      const steps = [{ shell: `touch ${file}` }, ...write(join(shared.testbed.home.workDir, 'also.txt'))];
      const status = await run(shared.client, steps, {
        sandbox: 'read-only',
        approvalPolicy: 'untrusted',
        dangerouslyBypassApprovalsAndSandbox: true,
      });
      expect(status).toMatchObject({ status: 'done', sandbox: 'danger-full-access', approvalPolicy: 'never' });
      expect(existsSync(file)).toBe(true);
    },
  );
});

describe('with SWITCHBOARD_ALLOW_DANGEROUS', () => {
  const shared = shareTestbed({}, { env: { SWITCHBOARD_ALLOW_DANGEROUS: '1' } });

  test('the sandbox danger-full-access is allowed', async () => {
    const status = await run(shared.client, [{ message: 'hello' }], { sandbox: 'danger-full-access' });
    expect(status).toMatchObject({ status: 'done', sandbox: 'danger-full-access' });
  });
});

describe('with --max-sandbox and --allow-root', () => {
  const shared = shareTestbed(
    { extra: { sandbox_mode: 'workspace-write' } },
    { args: ['--max-sandbox', 'read-only', '--allow-root', '.'] },
  );
  const refusal = (args: JsonObject) =>
    shared.client.failure('codex_start', { ...FREE, prompt: HELLO, sandbox: 'read-only', ...args });

  test('a sandbox beyond the ceiling is refused, however it is requested', async () => {
    const text = 'the operator of this server allows at most read-only (--max-sandbox)';
    expect(await refusal({ sandbox: 'workspace-write' })).toContain(text);
    expect(await refusal({ sandbox: undefined, fullAuto: true })).toContain(text);
    expect(await refusal({ sandbox: undefined, config: { sandbox_mode: 'workspace-write' } })).toContain(text);
    // Codex's own configuration asks for more than the operator allows.
    expect(await refusal({ sandbox: undefined })).toContain(text);
    expect(await run(shared.client, [{ message: 'hello' }], { sandbox: 'read-only' })).toMatchObject({
      status: 'done',
    });
  });

  test('an earlier session with a wider sandbox is not continued beyond the ceiling', async () => {
    const free = await shared.testbed.serve();
    const before = await run(free, [{ message: 'hello' }]);
    await free.close();
    const args = { sessionId: before['sessionId'], message: HELLO };
    expect(await shared.client.failure('codex_say', args)).toContain('--max-sandbox');
    const { status } = await shared.client.call('codex_say', { ...args, sandbox: 'read-only', waitSeconds: 50 });
    expect(status).toBe('done');
  });

  test('sessions in other folders are neither listed nor continued', async () => {
    const free = await shared.testbed.serve();
    const { sessionId } = await run(free, [{ message: 'hello' }], { workingDirectory: '..', sandbox: 'read-only' });
    await free.close();
    const listed = await shared.client.call('codex_list');
    expect(JSON.stringify(listed)).not.toContain(String(sessionId));
    for (const [name, more] of [
      ['codex_say', { message: HELLO }],
      ['codex_status', {}],
    ] as const)
      expect(await shared.client.failure(name, { sessionId, ...more })).toContain('--allow-root');
  });

  test('folders outside the allowed ones are refused, including through symlinks', async () => {
    const { workDir, rootDir } = shared.testbed.home;
    const elsewhere = await mkdtemp(join(tmpdir(), 'switchboard-elsewhere-'));
    try {
      await symlink(elsewhere, join(workDir, 'link'));
      await mkdir(join(rootDir, 'work-beside'));
      const text = 'is outside of the folders that the operator of this server allows (--allow-root)';
      for (const workingDirectory of [elsewhere, '..', 'link', join(rootDir, 'work-beside'), '/'])
        expect(await refusal({ workingDirectory })).toContain(text);
      expect(await refusal({ addDirs: [elsewhere] })).toContain(text);
      expect(await refusal({ images: [join(rootDir, 'codex', 'config.toml')] })).toContain(text);
    } finally {
      await rm(elsewhere, { recursive: true, force: true });
    }
  });
});
