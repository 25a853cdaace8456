import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, expect, test } from 'vitest';
import { trackProcesses } from '../processes.ts';
import { textOf, useGatewayTestbeds } from './gateway-testbed.ts';
import { ID } from './login-harness.ts';

const newTestbed = useGatewayTestbeds(trackProcesses());
const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close().closeAllConnections();
});

test.each([
  [
    'the error description',
    (sent: string) => ({ error: 'temporarily_unavailable', error_description: `not now: ${sent}` }),
  ],
  ['the error code', (sent: string) => ({ error: sent })],
  ['the token type', (sent: string) => ({ access_token: 'a', token_type: sent })],
  ['a response that is not JSON', (sent: string) => sent],
])('never shows a refresh token that the authorization server repeats in %s', async (_, answer) => {
  const testbed = await newTestbed();
  await testbed.login();
  const refreshToken = String(testbed.stored()?.['refresh_token']);
  const endpoint = await openEcho(answer);
  testbed.store.update(ID, (record) => {
    if (record?.discovery === undefined) return record;
    return { ...record, expiresAt: 1, discovery: { ...record.discovery, token_endpoint: endpoint } };
  });
  const called = await testbed.run('mcp', 'call', 'notes.whoami', '--direct', '--json');
  const gateway = await testbed.openGateway();
  const reply = textOf(await gateway.call('notes__whoami'));
  const { result } = await gateway.request('resources/read', { uri: 'switchboard://status' });
  const shown = [called.stdout, called.stderr, reply, result.contents[0].text, gateway.stderr].join('\n');
  expect(called.status).not.toBe(0);
  // In any case, because a library may have changed it.
  expect(shown.toLowerCase()).not.toContain(refreshToken.slice(0, 20).toLowerCase());
});

/** Responds with the request that it received. */
async function openEcho(answer: (sent: string) => unknown): Promise<string> {
  const server = createServer(async (request, response) => {
    const sent = new URLSearchParams(await text(request)).get('refresh_token') ?? '';
    const body = answer(sent);
    const isTokens = typeof body === 'object' && body !== null && 'access_token' in body;
    response.writeHead(isTokens ? 200 : 400, { 'content-type': 'application/json' });
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  });
  servers.push(server);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/token`;
}
