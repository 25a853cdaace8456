import { describe, expect, vi } from 'vitest';
import type { Access, Principal, Role } from '../../src/serve/fronts/http/principal.ts';
import { useTestbeds } from '../auth/login-harness.ts';
import { openHttpFixture } from '../fixtures/http/paths.ts';
import { fixture } from '../fixtures/paths.ts';
import { at } from '../http/harness.ts';
import { trackProcesses } from '../processes.ts';
import { verifies } from '../verifies.ts';
import { exposedHomes, WITHIN } from './exposed-gateway.ts';
import { gatewayHttpHarness } from './harness.ts';
import { RawClient } from './raw-client.ts';

const { openGateway, processes } = gatewayHttpHarness();
const homeIn = exposedHomes(trackProcesses());
const newTestbed = useTestbeds();

/** Accepts `Bearer <name>` for each of these clients. */
function accessFor(clients: Readonly<Record<string, Partial<Principal>>>): Access {
  const principals = new Map(
    Object.entries(clients).map(([name, permitted]): [string, Principal] => [
      `Bearer ${name}`,
      { tokenId: name, name, role: 'use', view: undefined, mayNameFolders: false, ...permitted },
    ]),
  );
  return { authenticate: (authorization) => principals.get(authorization ?? ''), onRevoked: () => () => undefined };
}

async function open(url: string, era: 'legacy' | 'modern', token: string): Promise<RawClient> {
  const client = new RawClient(url, era);
  client.headers = { authorization: `Bearer ${token}` };
  if (era === 'legacy') await client.initialize();
  return client;
}

const INITIALIZE = { id: 1, method: 'initialize', params: { protocolVersion: '2025-11-25', capabilities: {} } };

describe('the role of a token', () => {
  verifies('token:role:endpoints', 'use and admin call servers, and read reaches no endpoint', async () => {
    const roles: readonly Role[] = ['use', 'read', 'admin'];
    const access = accessFor(Object.fromEntries(roles.map((role) => [role, { role }])));
    const views = { mine: { servers: ['one'] } };
    const { url } = await openGateway({ one: fixture('well-behaved') }, { access, views });
    for (const role of ['use', 'admin'])
      for (const era of ['legacy', 'modern'] as const) {
        const client = await open(url, era, role);
        expect((await client.call('one__echo', { text: role })).result.content[0].text).toBe(role);
      }
    const headers = { authorization: 'Bearer read', 'content-type': 'application/json' };
    for (const path of ['', '/one', '/@mine', '/none'])
      for (const method of ['POST', 'GET', 'DELETE']) {
        const body = method === 'POST' ? { body: JSON.stringify({ jsonrpc: '2.0', ...INITIALIZE }) } : {};
        const response = await fetch(`${url}${path}`, { method, headers, ...body });
        expect([path, method, response.status]).toEqual([path, method, 403]);
        expect(await response.text()).toContain('has the role read, which may not call servers');
      }
  });
});

describe('the view of a token', () => {
  verifies('token:view:ceiling', 'is a limit: another view or a server outside of it is 403', async () => {
    const access = accessFor({ limited: { view: 'review' }, gone: { view: 'gone' }, free: {} });
    const views = { review: { servers: ['two'], tools: { deny: ['two.slow'] } }, all: { servers: ['one', 'two'] } };
    const servers = { one: fixture('well-behaved'), two: fixture('well-behaved') };
    const { url } = await openGateway(servers, { access, views });
    const statusOf = async (token: string, path: string) => {
      const client = new RawClient(`${url}${path}`, 'legacy');
      client.headers = { authorization: `Bearer ${token}` };
      const { status, response } = await client.post(INITIALIZE);
      return [status, response?.error?.message ?? 'ok'];
    };
    const refused = [403, 'This token may use only the view "review".'];
    expect(await statusOf('limited', '')).toEqual([200, 'ok']);
    expect(await statusOf('limited', '/@review')).toEqual([200, 'ok']);
    expect(await statusOf('limited', '/two')).toEqual([200, 'ok']);
    expect(await statusOf('limited', '/@all')).toEqual(refused);
    expect(await statusOf('limited', '/one')).toEqual(refused);
    // Nothing tells whether these exist.
    expect(await statusOf('limited', '/@none')).toEqual(refused);
    expect(await statusOf('limited', '/none')).toEqual(refused);
    expect(await statusOf('free', '/one')).toEqual([200, 'ok']);
    for (const era of ['legacy', 'modern'] as const) {
      const client = await open(url, era, 'limited');
      const { tools } = (await client.request('tools/list')).result;
      expect(tools.map(({ name }: { name: string }) => name)).toContain('two__echo');
      expect(JSON.stringify(tools)).not.toMatch(/one__|two__slow/);
      expect((await client.call('one__echo', { text: 'x' })).error?.message).toContain('not available in this view');
      expect((await client.call('two__slow', { ms: 1 })).error?.message).toContain('not available in this view');
      const two = await open(`${url}/two`, era, 'limited');
      expect((await two.call('slow', { ms: 1 })).error?.message).toContain('not available in this view');
      expect((await two.call('echo', { text: 'x' })).result.content[0].text).toBe('x');
      // The view of the token is not in the config.
      const nobody = await open(url, era, 'gone');
      expect((await nobody.request('tools/list')).result.tools).toEqual([]);
    }
  });
});

verifies('token:authorization:kept', "a client's own Authorization and cookies never reach a server", async () => {
  const options = { env: processes.env() };
  const upstreams = [await openHttpFixture('well-behaved', options), await openHttpFixture('modern', options)];
  try {
    const [legacy, modern] = upstreams.map(({ url }) => at(url));
    if (legacy === undefined || modern === undefined) throw new Error('no server');
    const { url } = await openGateway({ legacy, modern }, { access: accessFor({ 'top-secret': {} }) });
    for (const era of ['legacy', 'modern'] as const)
      for (const id of ['legacy', 'modern']) {
        const client = await open(url, era, 'top-secret');
        client.headers = {
          ...client.headers,
          'proxy-authorization': 'Basic top-secret',
          cookie: 'session=top-secret',
          'x-api-key': 'top-secret',
        };
        const seen = (await client.call(`${id}__headers`)).result.content[0].text;
        expect(seen).toContain('user-agent');
        expect(seen).not.toMatch(/top-secret|authorization|cookie|x-api-key/i);
      }
    const received = await Promise.all(upstreams.map((upstream) => upstream.requests()));
    expect(received.flat().length).toBeGreaterThan(4);
    expect(JSON.stringify(received)).not.toContain('top-secret');
  } finally {
    await Promise.all(upstreams.map((upstream) => upstream.close()));
  }
});

verifies(
  'token:revoke:call',
  'a token that is revoked during a call ends the call, the session and the processes of the client',
  async () => {
    const { folder } = await newTestbed();
    const home = homeIn(folder);
    home.configure({ servers: { mine: { ...fixture('well-behaved'), share: 'client' } } });
    const gateway = await home.start();
    const token = await home.run('token', 'create', 'guest');
    const guest = await gateway.client('legacy', '', token);
    const host = await gateway.client('legacy');
    expect((await guest.call('mine__echo', { text: 'x' })).result.content[0].text).toBe('x');
    expect((await host.call('mine__echo', { text: 'x' })).result.content[0].text).toBe('x');
    const controller = new AbortController();
    const stream = await guest.listen(controller.signal);
    const call = guest.exchange('tools/call', { name: 'mine__slow', arguments: { ms: 600_000 } });
    const modern = await gateway.client('modern', '', token);
    const other = modern.exchange('tools/call', { name: 'mine__slow', arguments: { ms: 600_000 } });
    const processesOf = async (client: RawClient) => {
      const { result } = await client.request('resources/read', { uri: 'switchboard://status' });
      const { servers } = JSON.parse(result.contents[0].text);
      return servers.find(({ id }: { id: string }) => id === 'mine').processes ?? 1;
    };
    await vi.waitFor(async () => expect(await processesOf(host)).toBe(3), WITHIN);
    // The calls have reached the server when later ones are answered.
    for (const client of [guest, modern])
      expect((await client.call('mine__echo', { text: 'x' })).result.content[0].text).toBe('x');
    await home.run('token', 'revoke', 'guest');
    // The servers have received the calls, so the clients learn that their outcome is unknown.
    for (const { response } of await Promise.all([call, other]))
      expect(response?.error).toMatchObject({
        message: expect.stringMatching(/^The token .* is not valid.* The server may have done this/),
        data: { retryable: false },
      });
    await stream.ended;
    for (const client of [guest, modern]) {
      const refused = await client.exchange('tools/list');
      expect(refused.status).toBe(401);
      expect(refused.headers.get('www-authenticate')).toBe('Bearer error="invalid_token"');
    }
    await vi.waitFor(async () => expect(await processesOf(host)).toBe(1), WITHIN);
    expect((await host.call('mine__echo', { text: 'still' })).result.content[0].text).toBe('still');
    controller.abort();
  },
);
