import { readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { trackProcesses } from '../processes.ts';
import { listed, PROJECT, serversIn, useWorlds } from './world.ts';

const newWorld = useWorlds(trackProcesses());

test('processes that add concurrently lose neither entries nor trust', async () => {
  const world = newWorld();
  const ids = Array.from({ length: 8 }, (_, index) => `server-${index}`);
  const ran = await Promise.all(ids.map((id) => world.mcp('add', id, '--', 'run', id)));
  expect(ran.map(({ status }) => status)).toEqual(ids.map(() => 0));
  expect(Object.keys(serversIn(world, PROJECT)).sort()).toEqual(ids);
  expect((await listed(world)).map(({ state }) => state)).toEqual(ids.map(() => 'on'));
  expect(readdirSync(world.path('project/.switchboard'))).toEqual(['config.json']);
  expect(readdirSync(world.path('own'))).toEqual(['trust.json']);
});

test('if processes add the same id concurrently, one succeeds', async () => {
  const world = newWorld();
  const ran = await Promise.all(['a', 'b', 'c', 'd'].map((command) => world.mcp('add', 'one', '--', command)));
  expect(ran.map(({ status }) => status).sort()).toEqual([0, 2, 2, 2]);
});
