import { expect, test } from 'vitest';
import { fixture } from '../fixtures/paths.ts';
import { gatewayHarness, type Hello } from './harness.ts';

const { openGateway } = gatewayHarness();
const codex = (version: string): Hello => ({ clientInfo: { name: 'codex-mcp-client', title: 'Codex', version } });
const servers = { quick: fixture('well-behaved'), slow: fixture('slow-start', '900') };
/** One that is never there in time, however long the other takes. */
const neverReady = { quick: fixture('well-behaved'), slow: fixture('slow-start', '60000') };
const SHORT = { listTimeoutMs: 300 };

test('the one list that Codex asks for waits for a slow server that nobody knows', async () => {
  const client = await openGateway(servers, { settings: SHORT }).connect(codex('0.166.0'));
  expect(await client.toolNames()).toContain('slow__echo');
});

test('an old Codex gives up after ten seconds, so that its list waits less long, but it waits', async () => {
  const client = await openGateway(servers, { settings: SHORT }).connect(codex('0.92.0'));
  expect(await client.toolNames()).toContain('slow__echo');
});

test('whoever sets a limit gets it, for Codex too', async () => {
  const { connect } = openGateway(neverReady, { settings: { ...SHORT, isListTimeoutSet: true } });
  const client = await connect(codex('0.166.0'));
  await client.call('quick__echo', { text: 'there' });
  expect(await client.toolNames()).not.toContain('slow__echo');
});

test('only the first list of Codex waits so long', async () => {
  const { connect } = openGateway({ slow: neverReady.slow }, { settings: SHORT });
  const client = await connect(codex('0.166.0'));
  client.send({ jsonrpc: '2.0', id: 'first', method: 'tools/list' });
  // A list that is read page by page, or a second one, is not the only one; the first is still held.
  expect((await client.request('prompts/list')).result).toEqual({ prompts: [] });
  expect(client.received.filter(({ id }) => id === 'first')).toEqual([]);
});

test('any other client can ask again, and is not kept', async () => {
  const client = await openGateway(neverReady, { settings: SHORT }).connect();
  await client.call('quick__echo', { text: 'there' });
  expect(await client.toolNames()).not.toContain('slow__echo');
});

test('a server that fails is not waited for', async () => {
  const { connect } = openGateway({ quick: fixture('well-behaved'), dead: { command: 'no-such-program' } });
  const client = await connect(codex('0.166.0'));
  expect(await client.toolNames()).toEqual(['quick__echo', 'quick__add', 'quick__slow']);
});
