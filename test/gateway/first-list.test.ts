import { expect, test, vi } from 'vitest';
import { fixture } from '../fixtures/paths.ts';
import { gatewayHarness, type InitializeOptions } from './harness.ts';

const { openGateway } = gatewayHarness();
const codex = (version: string): InitializeOptions => ({
  clientInfo: { name: 'codex-mcp-client', title: 'Codex', version },
});
const servers = { quick: fixture('well-behaved'), slow: fixture('slow-start', '900') };
/** A server that is never ready in time, however long the other takes. */
const neverReady = { quick: fixture('well-behaved'), slow: fixture('slow-start', '60000') };
const SHORT = { listTimeoutMs: 300 };

test('the only list that Codex requests waits for a slow server without a cached catalog', async () => {
  const client = await openGateway(servers, { settings: SHORT }).connect(codex('0.166.0'));
  expect(await client.toolNames()).toContain('slow__echo');
});

test('the list of an old Codex, which times out after ten seconds, waits too, but not as long', async () => {
  const client = await openGateway(servers, { settings: SHORT }).connect(codex('0.92.0'));
  expect(await client.toolNames()).toContain('slow__echo');
});

test('an explicit limit applies to Codex too', async () => {
  const { connect } = openGateway(neverReady, { settings: { ...SHORT, isListTimeoutSet: true } });
  const client = await connect(codex('0.166.0'));
  await client.call('quick__echo', { text: 'there' });
  expect(await client.toolNames()).not.toContain('slow__echo');
});

test('only the first list of Codex waits that long', async () => {
  const { connect } = openGateway({ slow: neverReady.slow }, { settings: SHORT });
  const client = await connect(codex('0.166.0'));
  client.send({ jsonrpc: '2.0', id: 'first', method: 'tools/list' });
  // A paginated list, or a second one, is not the only one. The first is still held.
  expect((await client.request('prompts/list')).result).toEqual({ prompts: [] });
  expect(client.received.filter(({ id }) => id === 'first')).toEqual([]);
});

test('other clients can ask again, and their list does not wait that long', async () => {
  const client = await openGateway(neverReady, { settings: SHORT }).connect();
  await client.call('quick__echo', { text: 'there' });
  expect(await client.toolNames()).not.toContain('slow__echo');
});

test('a failed server is not waited for', async () => {
  const { connect } = openGateway({ quick: fixture('well-behaved'), dead: { command: 'no-such-program' } });
  const client = await connect(codex('0.166.0'));
  expect(await client.toolNames()).toEqual(['quick__echo', 'quick__add', 'quick__slow']);
});

test('the time that a slow server has taken counts from the first client, not from the start of the gateway', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  const { connect, gateway } = openGateway({ slow: neverReady.slow }, { settings: SHORT });
  vi.advanceTimersByTime(60_000);
  const client = await connect();
  await expect.poll(() => gateway.status()[0]?.where).toMatch(/^pid/);
  vi.advanceTimersByTime(1_500);
  await client.toolNames();
  vi.useRealTimers();
  expect(gateway.status()[0]?.reason).toBe('still starting after 2 s');
});
