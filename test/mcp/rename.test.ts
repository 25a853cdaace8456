import { expect, test } from 'vitest';
import { trackProcesses } from '../processes.ts';
import { GLOBAL, listed, ownConfig, PROJECT, serversIn, useTestbeds } from './testbed.ts';

const newTestbed = useTestbeds(trackProcesses());

test('a renamed server keeps its position and comments, its sign-in, its pins and its clients', async () => {
  const testbed = newTestbed();
  const text = `{
  "version": 1,
  "mcp": {
    "servers": {
      "first": { "command": "x" },
      // reads the notes
      "notes": { "url": "https://notes.example/mcp" }, // since May
      "last": { "command": "y" }
    }
  }
}
`;
  const global = testbed.write(GLOBAL, text);
  testbed.write('own/mcp-auth.json', {
    version: 1,
    servers: { notes: { access_token: 'secret', url: 'https://notes.example/mcp' } },
  });
  testbed.write('own/pins.json', {
    version: 1,
    servers: [{ file: global, id: 'notes', tools: { a: 'h' }, pending: {} }],
  });
  testbed.write('own/clients.json', {
    version: 1,
    clients: { cursor: { imported: ['first', 'notes'], shared: [], seen: [] } },
  });
  const dry = await testbed.run(['rename', 'notes', 'docs', '--dry-run']);
  expect([dry.status, testbed.read(GLOBAL)]).toEqual([0, text]);
  const { status, stdout, stderr } = await testbed.run(['rename', 'notes', 'docs']);
  expect([status, stderr]).toEqual([0, '']);
  expect(stdout).toBe(
    `notes is now docs in the global config, ${global}. Moved with it: sign-in, pinned tools, client records. Clients of the gateway see its tools as docs__<tool>.\n`,
  );
  expect(testbed.read(GLOBAL)).toBe(text.replace('"notes"', '"docs"'));
  expect(Object.keys((testbed.json('own/mcp-auth.json') as { servers: object }).servers)).toEqual(['docs']);
  expect(testbed.json('own/pins.json')).toMatchObject({ servers: [{ id: 'docs', tools: { a: 'h' } }] });
  expect(testbed.json('own/clients.json')).toMatchObject({ clients: { cursor: { imported: ['first', 'docs'] } } });
});

test('a renamed project entry stays trusted, and the old name is forgotten', async () => {
  const testbed = newTestbed();
  await testbed.mcp('add', 'a', '--', 'node');
  const { status, stdout } = await testbed.mcp('rename', 'a', 'b', '--json');
  expect([status, JSON.parse(stdout)]).toMatchObject([0, { action: 'renamed', from: 'a', id: 'b', scope: 'project' }]);
  expect(await listed(testbed)).toMatchObject([{ id: 'b', state: 'on' }]);
  const { entries } = testbed.json('own/trust.json') as { entries: readonly { id: string }[] };
  expect(entries.map(({ id }) => id)).toEqual(['b']);
});

test.each([
  ['a name that is taken', ['a', 'b'], 'b is already in the global config'],
  ['an invalid name', ['a', 'b.c'], 'b.c cannot be an id'],
  ['its own name', ['a', 'a'], 'a already has this name.'],
  ['an unknown server', ['x', 'y'], 'There is no server x.'],
  ['the wrong scope', ['a', 'c', '--scope', 'project'], 'Run: switchboard mcp rename a --scope global'],
])('%s is refused, and nothing is written', async (_, args, message) => {
  const testbed = newTestbed();
  testbed.write(GLOBAL, ownConfig({ a: { command: 'x' }, b: { command: 'y' } }));
  const before = testbed.read(GLOBAL);
  const { status, stdout, stderr } = await testbed.mcp('rename', ...args);
  expect([status, stdout, stderr]).toEqual([2, '', expect.stringContaining(message)]);
  expect(testbed.read(GLOBAL)).toBe(before);
  expect(testbed.exists(PROJECT)).toBe(false);
});

test('a sign-in that cannot be moved is named with the command that signs in again', async () => {
  const testbed = newTestbed();
  testbed.write(GLOBAL, ownConfig({ a: { url: 'https://a.example/mcp' } }));
  testbed.write('own/mcp-auth.json', '{ damaged');
  const { status, stderr } = await testbed.mcp('rename', 'a', 'b');
  expect([status, stderr]).toEqual([0, expect.stringContaining('run switchboard mcp login b')]);
  expect(Object.keys(serversIn(testbed, GLOBAL))).toEqual(['b']);
});
