import { describe, expect, test } from 'vitest';
import { type Testbed, useTestbeds } from '../mcp/testbed.ts';
import { trackProcesses } from '../processes.ts';
import { verifies } from '../verifies.ts';
import { at, readContent } from './client-contract.ts';

const newTestbed = useTestbeds(trackProcesses());
const CURSOR = '.cursor/mcp.json';
const server = (name: string) => ({ command: 'node', args: [`${name}.js`] });

/** Imports everything from a home in which Cursor has these servers, and connects Cursor. */
async function importAndConnect(servers: object, testbed: Testbed = newTestbed()): Promise<Testbed> {
  testbed.write(CURSOR, { mcpServers: servers });
  expect(await testbed.run(['import', '--all'])).toMatchObject({ status: 0 });
  expect(await testbed.run(['connect', 'cursor', '--yes'])).toMatchObject({ status: 0, stderr: '' });
  return testbed;
}

function namesIn(testbed: Testbed): readonly string[] {
  return Object.keys(Object(at(readContent(testbed, CURSOR), ['mcpServers'])));
}

async function visible(testbed: Testbed): Promise<readonly string[]> {
  const { stdout } = await testbed.run(['share', '--json']);
  const views: readonly { client: string; servers: readonly string[] }[] = JSON.parse(stdout).clients;
  return views.find(({ client }) => client === 'cursor')?.servers ?? [];
}

describe('connect after import lists no server twice', () => {
  test('when the client has a name that is no valid id', async () => {
    const testbed = await importAndConnect({ 'my notes': server('notes') });
    expect([namesIn(testbed), await visible(testbed)]).toEqual([['switchboard'], ['my-notes']]);
  });

  test('when another client has a different server of the same name', async () => {
    const testbed = newTestbed();
    testbed.write('.claude.json', { mcpServers: { docs: server('of-claude') } });
    await importAndConnect({ docs: server('of-cursor') }, testbed);
    expect([namesIn(testbed), await visible(testbed)]).toEqual([['switchboard'], ['docs-cursor']]);
  });

  verifies('connect:servers:once', 'when the client has the same server under two names', async () => {
    const testbed = await importAndConnect({ one: server('same'), two: server('same') });
    expect([namesIn(testbed), await visible(testbed)]).toEqual([['switchboard'], ['one']]);
  });

  test('when the server was renamed in our config since', async () => {
    const testbed = newTestbed();
    testbed.write(CURSOR, { mcpServers: { notes: server('notes') } });
    await testbed.run(['import', '--all']);
    await testbed.run(['rename', 'notes', 'journal']);
    await testbed.run(['connect', 'cursor', '--yes']);
    expect([namesIn(testbed), await visible(testbed)]).toEqual([['switchboard'], ['journal']]);
  });

  test('and leaves a server on that only has the name of one that we provide', async () => {
    const testbed = newTestbed();
    testbed.write(CURSOR, { mcpServers: { a: server('a') } });
    await testbed.run(['import', '--all']);
    await testbed.run(['rename', 'a', 'b']);
    testbed.write(CURSOR, { mcpServers: { a: server('a'), b: server('other') } });
    await testbed.run(['connect', 'cursor', '--yes']);
    expect(namesIn(testbed)).toEqual(['b', 'switchboard']);
  });
});

test('names that would hurt a program or a terminal are turned off and restored', async () => {
  const text = JSON.stringify({ mcpServers: { constructor: server('a'), 'x\u001b[31my': server('b') } }).replace(
    '"constructor"',
    '"__proto__"',
  );
  const testbed = newTestbed();
  testbed.write(CURSOR, text);
  await testbed.run(['import', '--all']);
  const { stdout } = await testbed.run(['connect', 'cursor', '--yes']);
  expect(stdout).toContain('because Switchboard provides them: __proto__, "x\\u001b[31my"\n');
  expect(stdout).not.toContain('\u001b');
  expect(namesIn(testbed)).toEqual(['switchboard']);
  await testbed.run(['disconnect', '--yes']);
  expect(testbed.read(CURSOR)).toBe(text);
});

test('disconnect restores renamed servers, also after the client has rewritten its file', async () => {
  const servers = { 'my notes': server('notes'), one: server('same'), two: server('same') };
  const testbed = await importAndConnect(servers);
  testbed.write(CURSOR, { ...Object(readContent(testbed, CURSOR)), later: true });
  expect(await testbed.run(['disconnect', '--yes'])).toMatchObject({ status: 0, stderr: '' });
  expect(readContent(testbed, CURSOR)).toEqual({ mcpServers: servers, later: true });
});
