import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { useTemporaryHomes } from '../../../test/temporary-folder.ts';
import { openClientServers } from '../client-servers.ts';
import { findNewServers } from './find-new-servers.ts';

const newHome = useTemporaryHomes();

test('returns the servers of each client that no import has seen, whatever else is broken', async () => {
  const environment = newHome();
  const { home } = environment;
  for (const folder of ['.cursor', '.gemini']) mkdirSync(join(home, folder));
  const gateway = { command: 'switchboard', args: ['gateway'] };
  const codex = { command: '/home/me/.local/share/switchboard/bin/switchboard', args: ['codex'] };
  writeFileSync(
    join(home, '.cursor/mcp.json'),
    JSON.stringify({ mcpServers: { old: { command: 'a' }, fresh: { command: 'b' }, switchboard: gateway, codex } }),
  );
  writeFileSync(join(home, '.gemini/settings.json'), '{');
  const store = openClientServers(environment);
  expect(await findNewServers(environment)).toEqual([{ client: 'cursor', title: 'Cursor', names: ['old', 'fresh'] }]);
  store.change('cursor', () => ({ imported: [], shared: [], seen: ['old'] }));
  expect(await findNewServers(environment)).toEqual([{ client: 'cursor', title: 'Cursor', names: ['fresh'] }]);
  store.change('cursor', () => ({ imported: [], shared: [], seen: ['old', 'fresh'] }));
  expect(await findNewServers(environment)).toEqual([]);
});
