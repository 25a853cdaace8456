import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { gatewayHarness } from '../gateway/harness.ts';
import { testFolders } from '../gateway/tools-from-file.ts';

const newFolder = testFolders();
const { openGateway } = gatewayHarness();
const program = fileURLToPath(new URL('fixtures/injects-faults.mjs', import.meta.url));

test.each([
  ['small', 100],
  ['large', 20_000],
])('half of a %s response on one line with another fails, and the other is answered', async (_, bytes) => {
  const args = [program, 'one', join(newFolder(), 'journal')];
  const { connect } = openGateway({ one: { command: process.execPath, args, requestTimeoutMs: 30_000 } });
  const client = await connect();
  await client.toolNames();
  const half = client.call('one__work', { n: 1, nonce: 'half', habit: 'half-line', bytes });
  const whole = client.call('one__work', { n: 2, nonce: 'whole' });
  expect((await half).error?.message).toContain('not valid JSON');
  expect(JSON.parse((await whole).result.content[0].text)).toMatchObject({ nonce: 'whole' });
});
