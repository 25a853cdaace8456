import { expect, test } from 'vitest';
import { fixture } from '../fixtures/paths.ts';
import { gatewayHarness } from './harness.ts';

/** One server on the command line has the same lifecycle as any other. */
const { openSingle } = gatewayHarness();

test('a crash fails the pending call at once, and the next call finds the server restarted', async () => {
  const { connect } = openSingle(fixture('dies-mid-call'));
  const client = await connect();
  const { error } = await client.call('die', { code: 9 });
  expect(error).toMatchObject({ code: 1104, data: { kind: 'server_error', retryable: false, toolName: 'die' } });
  expect(error?.message).toContain('it ended with exit code 9: dies-mid-call: out of cheese');
  expect((await client.call('echo', { text: 'again' })).result.content[0].text).toBe('again');
});

test('a call made before the server is ready waits for it', async () => {
  const { connect } = openSingle(fixture('slow-start', '500'), { settings: { initTimeoutMs: 50 } });
  const client = await connect();
  expect((await client.call('echo', { text: 'at last' })).result.content[0].text).toBe('at last');
});

test('the server inherits the whole environment', async () => {
  const { connect } = openSingle(fixture('reports-environment'));
  const client = await connect();
  const { result } = await client.call('environment');
  const { env } = JSON.parse(result.content[0].text);
  for (const [name, value] of Object.entries(process.env)) expect([name, env[name]]).toEqual([name, value]);
});
