import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { gatewayHarness, type Message, type TestServer } from '../gateway/harness.ts';
import { testFolders } from '../gateway/tools-from-file.ts';

const { openGateway } = gatewayHarness();
const newFolder = testFolders();
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

test('one that holds a lock and is changed twice while it works is still stopped before the last of its successors starts', async () => {
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

test('one that holds a lock and is taken out and put back while it works is stopped before it starts again', async () => {
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
