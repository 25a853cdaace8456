import { chmod, mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { JsonObject } from '../codex/json.ts';
import { script } from '../codex/script.ts';
import { verifies } from '../verifies.ts';
import { run } from './flow-session.ts';
import { shareTestbed } from './flow-testbed.ts';
import { FREE } from './testbed.ts';

const shared = shareTestbed({ extra: { sandbox_mode: 'read-only', approval_policy: 'never' } });
const HELLO = script([{ message: 'hello' }]);
const refusal = (args: JsonObject) => shared.client.failure('codex_start', { ...FREE, prompt: HELLO, ...args });

verifies('codex:server:arguments-checked', 'invalid arguments are rejected by name', async () => {
  const requestsBefore = shared.testbed.model.requests.length;
  expect(await shared.client.failure('codex_start', FREE)).toContain('prompt');
  expect(await refusal({ prompt: 7 })).toContain('prompt');
  expect(await refusal({ prompt: ' \n\t' })).toBe('prompt is empty: say what Codex should do.');
  expect(await refusal({ images: 'a.png' })).toContain('images');
  expect(await refusal({ fullAuto: 'yes' })).toContain('fullAuto');
  expect(await refusal({ config: { a: 1 } })).toContain('config');
  expect(await refusal({ workingDir: '.' })).toContain('workingDir');
  expect(await refusal({ waitSeconds: 'long' })).toContain('waitSeconds');
  expect(shared.testbed.model.requests.length).toBe(requestsBefore);
});

test('a missing file or folder is refused by its path, before anything is started', async () => {
  const { workDir } = shared.testbed.home;
  const requestsBefore = shared.testbed.model.requests.length;
  await writeFile(join(workDir, 'file.txt'), 'no picture');
  await mkdir(join(workDir, 'folder.png'));
  const at = (name: string) => join(workDir, name);
  expect(await refusal({ workingDirectory: 'nowhere' })).toBe(`workingDirectory: there is no folder ${at('nowhere')}.`);
  expect(await refusal({ workingDirectory: 'file.txt' })).toBe(`workingDirectory: ${at('file.txt')} is not a folder.`);
  expect(await refusal({ images: ['none.png'] })).toBe(`images: there is no file ${at('none.png')}.`);
  expect(await refusal({ images: ['folder.png'] })).toBe(`images: ${at('folder.png')} is not a file.`);
  expect(await refusal({ images: ['file.txt'] })).toContain(
    `images: ${at('file.txt')} is not an image that Codex accepts`,
  );
  expect(await refusal({ addDirs: ['nowhere'] })).toBe(`addDirs: there is no folder ${at('nowhere')}.`);
  expect(await refusal({ profile: '../config' })).toMatch(/profile/u);
  expect(shared.testbed.model.requests.length).toBe(requestsBefore);
});

verifies('codex:start:defaults', 'the Codex config decides what the caller omits', async () => {
  const status = await run(shared.client, [{ message: 'hello' }], { sandbox: undefined, skipGitRepoCheck: undefined });
  expect(status).toMatchObject({
    status: 'done',
    model: 'gpt-5.5',
    approvalPolicy: 'never',
    sandbox: 'read-only',
  });
});

verifies(
  ['codex:start:bypass', 'codex:start:danger-sandbox'],
  'every dangerous setting needs permission from the operator',
  async () => {
    const allowed = /switchboard codex --allow-dangerous \(or SWITCHBOARD_ALLOW_DANGEROUS=1\)/u;
    expect(await refusal({ sandbox: 'danger-full-access' })).toMatch(allowed);
    expect(await refusal({ dangerouslyBypassApprovalsAndSandbox: true })).toMatch(allowed);
    expect(await refusal({ sandbox: undefined, config: { sandbox_mode: 'danger-full-access' } })).toMatch(allowed);
    expect(await refusal({ sandbox: undefined, config: { sandbox_mode: '"danger-full-access"' } })).toMatch(allowed);
    expect(await refusal({ config: { 'mcp_servers.x.command': 'sh' } })).toMatch(allowed);
    expect(await refusal({ config: { notify: '["sh","-c","id"]' } })).toMatch(allowed);
  },
);

test('an inaccessible folder and a broken symlink are errors', async () => {
  const { workDir } = shared.testbed.home;
  await symlink(join(workDir, 'gone'), join(workDir, 'broken'));
  expect(await refusal({ workingDirectory: 'broken' })).toContain('there is no folder');
  await mkdir(join(workDir, 'inner'));
  await writeFile(join(workDir, 'inner', 'secret.png'), '\x89PNG');
  await chmod(join(workDir, 'inner', 'secret.png'), 0);
  if (process.getuid?.() !== 0) expect(await refusal({ images: ['inner/secret.png'] })).toContain('cannot be read');
});
