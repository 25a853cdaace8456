import { expect, test } from 'vitest';
import { fixture } from '../fixtures/paths.ts';
import { gatewayHarness } from './harness.ts';

const { openGateway } = gatewayHarness();

test('tools of two servers are listed and called under distinct names', async () => {
  const { connect } = openGateway({ one: fixture('well-behaved'), two: fixture('dies-mid-call') });
  const client = await connect();
  const names = await client.toolNames();
  expect(names).toContain('one__echo');
  expect(names).toContain('two__die');
  const { result } = await client.call('one__echo', { text: 'hi' });
  expect(result.content).toEqual([{ type: 'text', text: 'hi' }]);
});

test('a crash fails the pending call at once, and the next call finds the server restarted', async () => {
  const { connect } = openGateway({ two: fixture('dies-mid-call') });
  const client = await connect();
  await client.toolNames();
  const crashed = await client.call('two__die');
  expect(crashed.error?.data).toMatchObject({ kind: 'server_error', retryable: false, serverName: 'two' });
  const { result } = await client.call('two__echo', { text: 'again' });
  expect(result.content).toEqual([{ type: 'text', text: 'again' }]);
});
