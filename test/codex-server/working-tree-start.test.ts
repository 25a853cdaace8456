import { chmodSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { createProcessTracker } from '../processes.ts';
import { start } from './flow-session.ts';
import { openTestbed } from './testbed.ts';

vi.setConfig({ testTimeout: 180_000 });

const processes = createProcessTracker();
afterEach(() => processes.assertAllGone({ withinMs: 20_000 }));

/**
 * Delays the git that takes the snapshot, which has its own index. While `held` exists, it waits until Codex has opened
 * the session, and then long enough for a turn that does not wait for the snapshot to change the file.
 */
const slowGit = (folder: string) => `#!/bin/sh
if [ -n "$GIT_INDEX_FILE" ] && [ -e '${folder}/held' ]; then
  while [ ! -e '${folder}/opened' ]; do sleep 0.05; done
  sleep 1
  rm -f '${folder}/held'
fi
PATH=\${PATH#*${delimiter}} exec git "$@"
`;

test('Codex opens the session while the snapshot is taken, and the turn starts when the snapshot is complete', async () => {
  const opened = { command: 'sh', args: ['-c', 'touch "$TOLD"'], required: false };
  await using testbed = await openTestbed(processes);
  const { rootDir, codexDir, workDir } = testbed.home;
  const signs = join(rootDir, 'signs');
  const bin = join(rootDir, 'bin');
  for (const folder of [signs, bin]) mkdirSync(folder);
  writeFileSync(join(bin, 'git'), slowGit(signs));
  chmodSync(join(bin, 'git'), 0o755);
  // Codex starts the MCP servers of a session when it opens it.
  const { command, args } = opened;
  const server = `command = "${command}"\nargs = ${JSON.stringify(args)}\nenv = { TOLD = "${join(signs, 'opened')}" }`;
  writeFileSync(join(codexDir, 'config.toml'), `\n[mcp_servers.sign]\n${server}\n`, { flag: 'a' });
  const client = await testbed.serve({
    args: ['--tools', 'full'],
    env: { PATH: [bin, process.env['PATH']].join(delimiter) },
  });
  const first = await start(client, [{ message: 'warm' }]);
  expect(await first.settled()).toMatchObject({ status: 'done' });
  await expect.poll(() => existsSync(join(signs, 'opened'))).toBe(true);

  rmSync(join(signs, 'opened'));
  writeFileSync(join(signs, 'held'), '');
  const flow = await start(client, [{ shell: 'echo changed > a.txt' }, { message: 'done' }]);
  expect(await flow.settled()).toMatchObject({ status: 'done' });
  expect(await client.call('codex_diff', { sessionId: flow.id })).toEqual(
    expect.objectContaining({
      files: [{ path: join(workDir, 'a.txt'), kind: 'add' }],
      diff: expect.stringContaining('+changed'),
    }),
  );
});
