import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { trackProcesses } from '../processes.ts';
import { useTestbeds } from './testbed.ts';

const newTestbed = useTestbeds(trackProcesses());
const fixtures = join(import.meta.dirname, '..', 'fixtures');

test('an added command is started without a shell, whatever it contains', { timeout: 30_000 }, async () => {
  const testbed = newTestbed();
  for (const file of ['well-behaved.mjs', 'mcp-base.mjs'])
    copyFileSync(
      join(fixtures, file),
      testbed.path(file === 'mcp-base.mjs' ? `project/${file}` : 'project/a b; touch x.mjs'),
    );
  const args = ['./a b; touch x.mjs', '$(touch y)', '`touch z`', '&& touch x', '*'];
  expect((await testbed.mcp('add', 'a', '--', process.execPath, ...args)).status).toBe(0);
  const { status, stdout } = await testbed.run(['gateway', '--check', '--json']);
  expect({ status, servers: JSON.parse(stdout).servers }).toMatchObject({
    status: 0,
    servers: [{ id: 'a', state: 'ready' }],
  });
  expect(['x', 'y', 'z'].filter((name) => testbed.exists(`project/${name}`))).toEqual([]);
});
