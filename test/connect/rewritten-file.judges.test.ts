import { chmodSync, rmSync, symlinkSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { type Testbed, useTestbeds } from '../mcp/testbed.ts';
import { trackProcesses } from '../processes.ts';
import { readContent } from './client-contract.ts';

const newTestbed = useTestbeds(trackProcesses());
const FILE = '.cursor/mcp.json';
const ONE = { command: 'node', args: ['one.js'] };
const TWO = { command: 'node', args: ['two.js'] };

/** Opens a home with a connected Cursor. Its server `one` is turned off, and `two` is its own. */
async function open(): Promise<Testbed> {
  const testbed = newTestbed();
  testbed.write(FILE, { mcpServers: { one: ONE } });
  await testbed.run(['import', '--all']);
  testbed.write(FILE, { mcpServers: { one: ONE, two: TWO } });
  expect(await testbed.run(['connect', 'cursor', '--yes'])).toMatchObject({ status: 0, stderr: '' });
  return testbed;
}

interface Content {
  readonly mcpServers: Readonly<Record<string, unknown>>;
}

describe('disconnect after the client changed its file', () => {
  test.each<[string, (content: Content) => object, object]>([
    [
      'sorted its keys and added a server',
      ({ mcpServers }) => ({ added: 1, mcpServers: { three: ONE, ...mcpServers } }),
      { added: 1, mcpServers: { three: ONE, two: TWO, one: ONE } },
    ],
    ['removed our entry', () => ({ mcpServers: { two: TWO } }), { mcpServers: { two: TWO, one: ONE } }],
    ['removed all servers', () => ({ other: 1 }), { other: 1, mcpServers: { one: ONE } }],
    [
      'added options to our entry',
      ({ mcpServers }) => ({
        mcpServers: { ...mcpServers, switchboard: { ...Object(mcpServers['switchboard']), autoApprove: ['x'] } },
      }),
      { mcpServers: { two: TWO, one: ONE } },
    ],
    [
      'added another server under the name of one that we turned off',
      ({ mcpServers }) => ({ mcpServers: { ...mcpServers, one: TWO } }),
      { mcpServers: { two: TWO, one: TWO } },
    ],
    [
      'changed a server that we did not touch',
      ({ mcpServers }) => ({ mcpServers: { ...mcpServers, two: ONE } }),
      { mcpServers: { two: ONE, one: ONE } },
    ],
  ])('which %s', async (_, rewrite, expected) => {
    const testbed = await open();
    const connected: Content = Object(readContent(testbed, FILE));
    testbed.write(FILE, JSON.stringify(rewrite(connected), null, '\t'));
    expect(await testbed.run(['disconnect', '--yes'])).toMatchObject({ status: 0, stderr: '' });
    expect(readContent(testbed, FILE)).toEqual(expected);
    expect(testbed.json('own/connections.json')).toEqual({ version: 1, connections: [] });
  });

  test('keeps comments and layout that the user added since', async () => {
    const testbed = await open();
    const edited = testbed.read(FILE).replace('{', '{\n  // Mine: keep this\n  "later": [1,2,   3],');
    testbed.write(FILE, edited);
    expect(await testbed.run(['disconnect', '--yes'])).toMatchObject({ status: 0, stderr: '' });
    expect(testbed.read(FILE)).toContain('{\n  // Mine: keep this\n  "later": [1,2,   3],');
    expect(readContent(testbed, FILE)).toEqual({ later: [1, 2, 3], mcpServers: { two: TWO, one: ONE } });
  });

  test.each([
    ['is broken now', (testbed: Testbed) => void testbed.write(FILE, '{ "mcpServers": {')],
    ['is read-only now', (testbed: Testbed) => chmodSync(testbed.path(FILE), 0o444)],
  ])('which %s fails, and works when that is repaired', async (_, damage) => {
    const testbed = await open();
    const connected = testbed.read(FILE);
    damage(testbed);
    const damaged = testbed.read(FILE);
    expect(await testbed.run(['disconnect', '--yes'])).toMatchObject({ status: 7 });
    expect(testbed.read(FILE)).toBe(damaged);
    chmodSync(testbed.path(FILE), 0o644);
    testbed.write(FILE, connected);
    expect(await testbed.run(['disconnect', '--yes'])).toMatchObject({ status: 0, stderr: '' });
    expect(readContent(testbed, FILE)).toEqual({ mcpServers: { one: ONE, two: TWO } });
  });

  test('which is a link to another file now', async () => {
    const testbed = await open();
    testbed.write('dotfiles/mcp.json', testbed.read(FILE));
    rmSync(testbed.path(FILE));
    symlinkSync(testbed.path('dotfiles/mcp.json'), testbed.path(FILE));
    expect(await testbed.run(['disconnect', '--yes'])).toMatchObject({ status: 0, stderr: '' });
    expect(readContent(testbed, 'dotfiles/mcp.json')).toEqual({ mcpServers: { one: ONE, two: TWO } });
  });
});

describe('connect after the client changed its file', () => {
  test('restores our entry and turns the same servers off', async () => {
    const testbed = await open();
    const connected = readContent(testbed, FILE);
    testbed.write(FILE, { mcpServers: { one: ONE, two: TWO } });
    expect(await testbed.run(['connect', 'cursor', '--yes'])).toMatchObject({ status: 0, stderr: '' });
    expect(readContent(testbed, FILE)).toEqual(connected);
    expect(await testbed.run(['disconnect', '--yes'])).toMatchObject({ status: 0, stderr: '' });
    expect(readContent(testbed, FILE)).toEqual({ mcpServers: { one: ONE, two: TWO } });
  });

  test('with --keep-servers, turns its servers on again', async () => {
    const testbed = await open();
    expect(await testbed.run(['connect', 'cursor', '--keep-servers', '--yes'])).toMatchObject({ status: 0 });
    expect(readContent(testbed, FILE)).toMatchObject({ mcpServers: { one: ONE, two: TWO, switchboard: {} } });
  });
});

test('a connect and a disconnect at the same time leave the file connected or as before', async () => {
  const testbed = await open();
  const connected = readContent(testbed, FILE);
  const commands = ['connect', 'disconnect', 'connect', 'disconnect'];
  const results = await Promise.all(commands.map((command) => testbed.run([command, 'cursor', '--yes'])));
  expect(results.map(({ status }) => status)).toEqual([0, 0, 0, 0]);
  const isRecorded = Object(testbed.json('own/connections.json')).connections.length === 1;
  const before = { mcpServers: { one: ONE, two: TWO } };
  expect(readContent(testbed, FILE)).toEqual(isRecorded ? connected : before);
  await testbed.run(['disconnect', '--yes']);
  expect(readContent(testbed, FILE)).toEqual(before);
});
