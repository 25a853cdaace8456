import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { useTemporaryFolders } from '../../../test/temporary-folder.ts';
import type { Environment } from '../files/folders.ts';
import { findProjectSources } from '../files/sources.ts';
import { trustEntry } from './trust-project.ts';
import { readTrustStore, trustFile } from './trust-store.ts';

const newFolder = useTemporaryFolders();

/** Creates a project with this config file. Also returns which of its entries are trusted. */
function newProject(text: string) {
  const home = newFolder();
  const environment: Environment = {
    cwd: home,
    home,
    env: { SWITCHBOARD_HOME: join(home, 'own') },
    platform: 'linux',
  };
  mkdirSync(join(home, '.switchboard'));
  writeFileSync(join(home, '.switchboard/config.json'), text);
  const source = findProjectSources(environment).find(({ file }) => file.endsWith('/.switchboard/config.json'));
  if (source === undefined) throw new Error('The project has no config.');
  const trusted = () => readTrustStore(trustFile(environment))?.records.map(({ id }) => id) ?? [];
  return { testEnvironment: environment, source, trusted };
}

const file = (servers: string) => `{ "version": 1, "mcp": { "servers": { ${servers} } } }`;
const written = { transport: 'stdio', command: 'node', args: ['a.js'], env: undefined };
const MINE = '"a": { "args": ["a.js"], "transport": "stdio", "command": "node" }';

test('trusts an entry that is the one just written', () => {
  const { source, testEnvironment: environment, trusted } = newProject(file(MINE));
  expect(trustEntry(source, { id: 'a', written }, environment)).toBe(true);
  expect(trusted()).toEqual(['a']);
});

test.each([
  ['another command', file('"a": { "transport": "stdio", "command": "sh", "args": ["a.js"] }')],
  ['an additional variable', file(MINE.replace('"args"', '"env": { "NODE_OPTIONS": "-r ./evil.js" }, "args"'))],
  ['a second entry with the same name', file(`${MINE}, ${MINE}`)],
  ['nothing', file('')],
  ['invalid JSON', '{'],
])('does not trust an entry if the file now has %s', (_, text) => {
  const { source, testEnvironment: environment, trusted } = newProject(text);
  expect(trustEntry(source, { id: 'a', written }, environment)).toBe(false);
  expect(trusted()).toEqual([]);
});
