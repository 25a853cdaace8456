import { appendFile, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { codexReleases, testWith } from '../codex/releases.ts';
import { script } from '../codex/script.ts';
import { trackProcesses } from '../processes.ts';
import { FREE, openTestbed, type Testbed } from './testbed.ts';

const processes = trackProcesses();
const TEMPORARY = `/tmp/switchboard-say-sandbox-${process.pid}`;
afterAll(() => rm(TEMPORARY, { force: true }));

/** The user's own sandbox settings: one more folder, the network, and no temporary folder. */
async function allowMore({ home }: Testbed): Promise<void> {
  const more = join(home.rootDir, 'more');
  await mkdir(more);
  const lines = [
    '[sandbox_workspace_write]',
    `writable_roots = ["${more}"]`,
    'network_access = true',
    'exclude_slash_tmp = true',
    'exclude_tmpdir_env_var = true',
  ];
  await appendFile(join(home.codexDir, 'config.toml'), `\n${lines.join('\n')}\n`);
}

/** Writes a word for each action that the sandbox allows. */
function probe({ model, home }: Testbed): string {
  const tries = [
    `touch ${join(home.rootDir, 'more', 'x')} && echo folder`,
    `touch ${TEMPORARY} && echo tmp`,
    `(exec 3<>/dev/tcp/127.0.0.1/${new URL(model.url).port}) && echo network`,
  ];
  return `{ ${tries.join('; ')}; } > seen.txt 2>/dev/null; true`;
}

describe.each(codexReleases('current', 'previous', 'old'))(
  'the sandbox that a message requests, with Codex %s',
  (release) => {
    test.each([
      ['read-only', {}, 'folder\nnetwork\n'],
      ['workspace-write', {}, 'folder\nnetwork\n'],
      ['read-only', { 'sandbox_workspace_write.network_access': 'false' }, 'folder\n'],
    ] as const)('keeps the user settings after %s with %j', async (sandbox, config, allowed) => {
      await using testbed = await openTestbed(processes, { release });
      await allowMore(testbed);
      const client = await testbed.serve();
      const shell = probe(testbed);
      const call =
        release === 'old' ? { tool: { name: 'shell', arguments: { command: ['bash', '-c', shell] } } } : { shell };
      const first = { ...FREE, sandbox, config, prompt: script([{ message: 'one' }]), waitSeconds: 50 };
      const { sessionId = '' } = await client.call('codex_start', first);
      const next = { sandbox: 'workspace-write', message: script([call, { message: 'two' }]), waitSeconds: 50 };
      const reply = await client.call('codex_say', { sessionId, ...next });
      expect(reply).toMatchObject({ status: 'done', result: 'two' });
      expect(await client.call('codex_status', { sessionId })).toMatchObject({ sandbox: 'workspace-write' });
      expect(await readFile(join(testbed.home.workDir, 'seen.txt'), 'utf8')).toBe(allowed);
    });
  },
);

describe.each(codexReleases('current', 'previous', 'old'))(
  'after a restart of the server, with Codex %s',
  (release) => {
    test.each([
      ['as it was started', 'workspace-write', {}],
      ['as a later message chose it', 'read-only', { sandbox: 'workspace-write' }],
    ] as const)('a session keeps its sandbox %s', async (_, sandbox, change) => {
      await using testbed = await openTestbed(processes, { release });
      const env = { SWITCHBOARD_HOME: join(testbed.home.rootDir, 'own') };
      const first = await testbed.serve({ env });
      const start = { ...FREE, sandbox, prompt: script([{ message: 'one' }]), waitSeconds: 50 };
      const { sessionId = '' } = await first.call('codex_start', start);
      await first.call('codex_say', { sessionId, ...change, message: script([{ message: 'two' }]), waitSeconds: 50 });
      await first.close();
      const second = await testbed.serve({ env });
      const shell = 'touch after.txt';
      const call =
        release === 'old' ? { tool: { name: 'shell', arguments: { command: ['bash', '-c', shell] } } } : { shell };
      await second.call('codex_say', { sessionId, message: script([call, { message: 'three' }]), waitSeconds: 50 });
      expect(await second.call('codex_status', { sessionId })).toMatchObject({ sandbox: 'workspace-write' });
      expect(await readdir(testbed.home.workDir)).toContain('after.txt');
    });
  },
);

testWith('current').each(['~/more', '../more'])(
  'writable_roots of a profile need not be absolute: %s',
  async (root) => {
    await using testbed = await openTestbed(processes);
    const { home } = testbed;
    await mkdir(join(home.rootDir, 'more'));
    const profile = `[sandbox_workspace_write]\nwritable_roots = ["${root}"]\n`;
    await writeFile(join(home.codexDir, 'wide.config.toml'), profile);
    const client = await testbed.serve();
    const first = {
      ...FREE,
      sandbox: 'read-only',
      profile: 'wide',
      prompt: script([{ message: 'one' }]),
      waitSeconds: 50,
    };
    const { sessionId = '' } = await client.call('codex_start', first);
    const message = script([{ shell: `touch ${join(home.rootDir, 'more', 'x')}` }, { message: 'two' }]);
    const reply = await client.call('codex_say', { sessionId, sandbox: 'workspace-write', message, waitSeconds: 50 });
    expect(reply).toMatchObject({ status: 'done', result: 'two' });
    expect(await readdir(join(home.rootDir, 'more'))).toEqual(['x']);
  },
);
