import { appendFile, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { codexAges, testWith } from '../codex/ages.ts';
import { script } from '../codex/script.ts';
import { trackProcesses } from '../processes.ts';
import { FREE, openWorld, type World } from './world.ts';

const processes = trackProcesses();
const TEMPORARY = `/tmp/switchboard-say-sandbox-${process.pid}`;
afterAll(() => rm(TEMPORARY, { force: true }));

/** The user's own sandbox settings: one more folder, the network, and no temporary folder. */
async function allowMore({ home }: World): Promise<void> {
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
function probe({ model, home }: World): string {
  const tries = [
    `touch ${join(home.rootDir, 'more', 'x')} && echo folder`,
    `touch ${TEMPORARY} && echo tmp`,
    `(exec 3<>/dev/tcp/127.0.0.1/${new URL(model.url).port}) && echo network`,
  ];
  return `{ ${tries.join('; ')}; } > seen.txt 2>/dev/null; true`;
}

describe.each(codexAges('today', 'middle', 'old'))('the sandbox that a message requests, with Codex %s', (age) => {
  test.each([
    ['read-only', {}, 'folder\nnetwork\n'],
    ['workspace-write', {}, 'folder\nnetwork\n'],
    ['read-only', { 'sandbox_workspace_write.network_access': 'false' }, 'folder\n'],
  ] as const)('keeps the user settings after %s with %j', async (sandbox, config, allowed) => {
    await using world = await openWorld(processes, { age });
    await allowMore(world);
    const client = await world.serve();
    const shell = probe(world);
    const call = age === 'old' ? { tool: { name: 'shell', arguments: { command: ['bash', '-c', shell] } } } : { shell };
    const first = { ...FREE, sandbox, config, prompt: script([{ message: 'one' }]), waitSeconds: 50 };
    const { sessionId = '' } = await client.call('codex_start', first);
    const next = { sandbox: 'workspace-write', message: script([call, { message: 'two' }]), waitSeconds: 50 };
    const said = await client.call('codex_say', { sessionId, ...next });
    expect(said).toMatchObject({ status: 'done', result: 'two' });
    expect(await client.call('codex_status', { sessionId })).toMatchObject({ sandbox: 'workspace-write' });
    expect(await readFile(join(world.home.workDir, 'seen.txt'), 'utf8')).toBe(allowed);
  });
});

testWith('today').each(['~/more', '../more'])('writable_roots of a profile need not be absolute: %s', async (root) => {
  await using world = await openWorld(processes);
  const { home } = world;
  await mkdir(join(home.rootDir, 'more'));
  const profile = `[sandbox_workspace_write]\nwritable_roots = ["${root}"]\n`;
  await writeFile(join(home.codexDir, 'wide.config.toml'), profile);
  const client = await world.serve();
  const first = {
    ...FREE,
    sandbox: 'read-only',
    profile: 'wide',
    prompt: script([{ message: 'one' }]),
    waitSeconds: 50,
  };
  const { sessionId = '' } = await client.call('codex_start', first);
  const message = script([{ shell: `touch ${join(home.rootDir, 'more', 'x')}` }, { message: 'two' }]);
  const said = await client.call('codex_say', { sessionId, sandbox: 'workspace-write', message, waitSeconds: 50 });
  expect(said).toMatchObject({ status: 'done', result: 'two' });
  expect(await readdir(join(home.rootDir, 'more'))).toEqual(['x']);
});
