import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { gatewayHarness, type Message, type TestServer } from '../gateway/harness.ts';
import { testFolders } from '../gateway/tools-from-file.ts';

const newFolder = testFolders();
const { openGateway } = gatewayHarness();
const program = fileURLToPath(new URL('fixtures/injects-faults.mjs', import.meta.url));

function lockedServers(): {
  readonly journal: string;
  readonly version: (value: number) => Record<string, TestServer>;
} {
  const folder = newFolder();
  const journal = join(folder, 'journal');
  const args = [program, 'one', journal, join(folder, 'lock')];
  const version = (value: number): Record<string, TestServer> => ({
    one: { command: process.execPath, args, env: { VERSION: String(value) }, restart: 'stop-first' },
  });
  return { journal, version };
}

function versionIn({ result }: Message): number {
  return JSON.parse(result.content[0].text).version;
}

test('a server with a lock that is changed twice while it works stops before its last successor starts', async () => {
  const { journal, version } = lockedServers();
  const { connect, apply } = openGateway(version(1));
  const client = await connect();
  await client.toolNames();
  const long = client.call('one__work', { n: 1, ms: 700 });
  apply(version(2));
  apply(version(3));
  const next = client.call('one__work', { n: 2 });
  expect(versionIn(await long)).toBe(1);
  expect(versionIn(await next)).toBe(3);
  expect(readFileSync(journal, 'utf8')).toBe('1\n2\n');
});

test('a server with a lock that is removed and added again while it works stops before it restarts', async () => {
  const { journal, version } = lockedServers();
  const { connect, apply } = openGateway(version(1));
  const client = await connect();
  await client.toolNames();
  const long = client.call('one__work', { n: 1, ms: 700 });
  apply({});
  apply(version(1));
  const next = client.call('one__work', { n: 2 });
  expect(versionIn(await long)).toBe(1);
  expect(versionIn(await next)).toBe(1);
  expect(readFileSync(journal, 'utf8')).toBe('1\n2\n');
});
