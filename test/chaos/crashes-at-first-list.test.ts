import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { gatewayHarness, type TestServer } from '../gateway/harness.ts';
import { testFolders } from '../gateway/tools-from-file.ts';

const newFolder = testFolders();
const { openGateway } = gatewayHarness();
const program = fileURLToPath(new URL('fixtures/crashes-at-first-list.mjs', import.meta.url));

function server(): TestServer {
  return { command: process.execPath, args: [program, join(newFolder(), 'fell')] };
}

test('a call to a server that crashes while it lists its tools waits for the restart', async () => {
  const { connect } = openGateway({ one: server() });
  const client = await connect();
  expect(await client.call('one__echo', { text: 'hi' })).toMatchObject({ result: { content: [{ text: 'hi' }] } });
});

test('the first list waits for a server that crashes while it lists its tools', async () => {
  const { connect } = openGateway({ one: server() });
  const client = await connect();
  expect(await client.toolNames()).toEqual(['one__echo']);
});
