import { readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { trackProcesses } from '../processes.ts';
import { listed, PROJECT, serversIn, useTestbeds } from './testbed.ts';

const newTestbed = useTestbeds(trackProcesses());

test('processes that add concurrently lose neither entries nor trust', async () => {
  const testbed = newTestbed();
  const ids = Array.from({ length: 8 }, (_, index) => `server-${index}`);
  const ran = await Promise.all(ids.map((id) => testbed.mcp('add', id, '--', 'run', id)));
  expect(ran.map(({ status }) => status)).toEqual(ids.map(() => 0));
  expect(Object.keys(serversIn(testbed, PROJECT)).sort()).toEqual(ids);
  expect((await listed(testbed)).map(({ state }) => state)).toEqual(ids.map(() => 'on'));
  expect(readdirSync(testbed.path('project/.switchboard'))).toEqual(['config.json']);
  expect(readdirSync(testbed.path('own'))).toEqual(['trust.json']);
});

test('if processes add the same id concurrently, one succeeds', async () => {
  const testbed = newTestbed();
  const ran = await Promise.all(['a', 'b', 'c', 'd'].map((command) => testbed.mcp('add', 'one', '--', command)));
  expect(ran.map(({ status }) => status).sort()).toEqual([0, 2, 2, 2]);
});
