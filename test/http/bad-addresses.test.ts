import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:https';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { fixture } from '../fixtures/paths.ts';
import { statusOf } from '../gateway/server-status.ts';
import { verifies } from '../verifies.ts';
import { at, httpHarness, methodsOf, textOf } from './harness.ts';

const { openGateway, openFixture, openServer } = httpHarness();
const SECRETS = { Authorization: 'Bearer for-far-only', 'X-Api-Key': 'key-for-far-only' };

describe('a URL without a server', () => {
  test('is reported with the next command', async () => {
    const { connect, gateway } = openGateway({
      far: at(`http://127.0.0.1:${await freePort()}/mcp`),
      near: fixture('well-behaved'),
    });
    const client = await connect();
    const { error } = await client.call('far__echo');
    expect(error).toEqual({
      code: 1074,
      message: expect.stringMatching(
        /^Server error: far is down: 127\.0\.0\.1:\d+: nothing answers at this address \(ECONNREFUSED\)\. Run: switchboard mcp test far$/,
      ),
      data: { kind: 'server_error', retryable: true, toolName: 'far__echo', serverName: 'far' },
    });
    expect(statusOf(gateway, 'far').state).toBe('error');
    expect(textOf(await client.call('near__echo', { text: 'near' }))).toBe('near');
  });

  test('with an unknown host is reported as such', async () => {
    const client = await openGateway({ far: at('http://no-such-host.invalid/mcp') }).connect();
    expect((await client.call('far__echo')).error).toMatchObject({
      code: 1074,
      message: expect.stringMatching(
        /^Server error: far is down: no-such-host\.invalid: (no such host is known|the host name cannot be resolved at the moment) \((ENOTFOUND|EAI_AGAIN)\)\. Run: /,
      ),
    });
  });

  test('that returns another page is reported with the response', async () => {
    const server = await openServer((_, response) =>
      response.writeHead(404, { 'content-type': 'text/html' }).end('<title>No such page</title>'),
    );
    const client = await openGateway({ far: at(server.url) }).connect();
    expect((await client.call('far__echo')).error).toMatchObject({
      code: 1084,
      message: `${new URL(server.url).host} answered HTTP 404 Not Found: No such page`,
      data: { serverName: 'far', retryable: false },
    });
  });

  test('whose port does not speak HTTP is reported too, without hanging', async () => {
    const tcp = createTcpServer((socket) => socket.on('error', () => {}).end('SSH-2.0-OpenSSH_9.6\r\n'));
    tcp.listen(0, '127.0.0.1');
    await once(tcp, 'listening');
    try {
      const { port } = tcp.address() as AddressInfo;
      const client = await openGateway({ far: at(`http://127.0.0.1:${port}/mcp`) }).connect();
      expect((await client.call('far__echo')).error).toMatchObject({
        message: expect.stringContaining(`127.0.0.1:${port}`),
        data: { serverName: 'far' },
      });
    } finally {
      tcp.close();
    }
  });
});

describe('a server that redirects', () => {
  test.each(['301', '302', '303', '307', '308'])(
    'to another origin with %s is not followed, and nothing is sent there',
    async (status) => {
      const server = await openFixture('redirects-elsewhere', '--status', status);
      const { connect } = openGateway({ far: at(server.url, { headers: SECRETS }), near: fixture('well-behaved') });
      const client = await connect();
      const { error } = await client.call('far__echo', { text: 'private' });
      expect(error).toMatchObject({ code: 1084, data: { serverName: 'far', retryable: false } });
      const { host } = new URL(server.url);
      expect(error?.message).toMatch(
        new RegExp(
          `^${host} redirects to (http://127\\.0\\.0\\.1:\\d+)( \\(HTTP ${status}\\))?, which Switchboard does not follow\\. If this is intended, put \\1/mcp into the config$`,
        ),
      );
      expect(await server.control('/_elsewhere')).toEqual([]);
      expect(textOf(await client.call('near__echo', { text: 'near' }))).toBe('near');
    },
  );

  test('to another origin during the session is sent neither calls nor headers', async () => {
    const server = await openFixture('redirects-elsewhere', '--at', 'tools/call');
    const client = await openGateway({ far: at(server.url, { headers: SECRETS }) }).connect();
    expect((await client.call('far__echo', { text: 'private' })).error).toMatchObject({
      code: 1084,
      message: expect.stringContaining('which Switchboard does not follow'),
    });
    expect(await server.control('/_elsewhere')).toEqual([]);
  });

  test.each(['307', '308'])('within its origin with %s is followed, with everything', async (status) => {
    const server = await openFixture('redirects-same-origin', '--status', status);
    const client = await openGateway({ far: at(server.url, { headers: SECRETS }) }).connect();
    expect(textOf(await client.call('far__echo', { text: 'there' }))).toBe('there');
    const sent = JSON.parse(textOf(await client.call('far__headers')));
    expect([sent.authorization, sent['x-api-key']]).toEqual([SECRETS.Authorization, SECRETS['X-Api-Key']]);
    const calls = (await server.requests()).filter(({ body }) => body.includes('tools/call')).map(({ path }) => path);
    // After a permanent redirect, later requests go to the new URL directly.
    expect(calls).toEqual(
      status === '308' ? ['/moved/mcp', '/moved/mcp'] : ['/mcp', '/moved/mcp', '/mcp', '/moved/mcp'],
    );
  });

  test('endlessly is given up', async () => {
    const server = await openFixture('redirects-same-origin', '--hops', '50');
    const client = await openGateway({ far: at(server.url) }).connect();
    const { error } = await client.call('far__echo');
    expect(error).toMatchObject({ code: 1084, message: expect.stringMatching(/HTTP 307/) });
    // This is the current URL.
    expect(error?.message).not.toContain(`put ${server.url} into the config`);
    expect((await server.requests()).length).toBeLessThan(50);
  });
});

describe('a server that requires a key', () => {
  verifies(
    'auth:discovery:none',
    'and offers no sign-in: the message names headers.Authorization, and nothing is registered',
    async () => {
      const server = await openFixture('answers-401-plain', '--challenge', 'Bearer realm="api"');
      const { connect, gateway } = openGateway({ far: at(server.url), near: fixture('well-behaved') });
      const client = await connect();
      const { host } = new URL(server.url);
      expect((await client.call('far__echo')).error).toEqual({
        code: 1084,
        message: `far (${host}) answered 401 and offers no sign-in: it requires a key or token. Set the key or token as headers.Authorization in its entry: switchboard mcp add far <url> --replace --header Authorization`,
        data: {
          kind: 'server_error',
          retryable: false,
          toolName: 'far__echo',
          serverName: 'far',
          original: { server: 'far', status: 401, isSignInOffered: false },
        },
      });
      expect(statusOf(gateway, 'far').state).toBe('error');
      const asked = await server.requests();
      expect(asked.filter(({ method, path }) => method === 'POST' && path !== '/mcp')).toEqual([]);
      expect(textOf(await client.call('near__echo', { text: 'near' }))).toBe('near');
    },
  );

  verifies('auth:discovery:header', 'works with the key in its entry, without a sign-in', async () => {
    const server = await openFixture('answers-401-plain', '--key', 'secret');
    const far = at(server.url, { headers: { Authorization: 'Bearer secret' } });
    const client = await openGateway({ far }).connect();
    expect(textOf(await client.call('far__echo', { text: 'in' }))).toBe('in');
    expect((await server.requests()).filter(({ path }) => path !== '/mcp')).toEqual([]);
  });

  test('works with a key in another header, and with one from a variable', async () => {
    const server = await openFixture('answers-401-plain', '--key', 'secret', '--header', 'x-api-key');
    const far = at(server.url, { headerEnv: { 'X-Api-Key': 'FAR_KEY' } });
    const client = await openGateway({ far }, { env: { FAR_KEY: 'secret' } }).connect();
    expect(textOf(await client.call('far__echo', { text: 'in' }))).toBe('in');
  });

  test('and rejects the one in its entry: the message names the header and not the value', async () => {
    const server = await openFixture('answers-401-plain', '--key', 'secret');
    const far = at(server.url, { headers: { Authorization: 'Bearer wrong-secret' } });
    const log: string[] = [];
    const client = await openGateway({ far }, { log }).connect();
    const { host } = new URL(server.url);
    expect((await client.call('far__echo')).error).toMatchObject({
      code: 1084,
      message: `far (${host}) answered 401 to the Authorization header from its entry: correct headers.Authorization, or the variable that sets it, in the config.`,
    });
    expect(`${log.join('')}${client.lines.join('')}`).not.toContain('wrong-secret');
    expect(methodsOf((await server.requests()).filter(({ path }) => path !== '/mcp'))).toEqual([]);
  });

  test('a variable that is not set is a config error, reported before anything is sent', async () => {
    const server = await openFixture('well-behaved');
    const far = at(server.url, { bearerTokenEnv: 'NO_SUCH_VARIABLE' });
    const client = await openGateway({ far }).connect();
    expect((await client.call('far__echo')).error).toMatchObject({
      message: expect.stringContaining(
        'far needs NO_SUCH_VARIABLE, which is not set (/test/config.json:1). Run: switchboard secret set NO_SUCH_VARIABLE',
      ),
      data: { kind: 'spawn_error', retryable: false },
    });
    expect(await server.requests()).toEqual([]);
  });
});

const hasOpenssl = spawnSync('openssl', ['version']).status === 0;

test.skipIf(!hasOpenssl)('an untrusted certificate is rejected, and the message says what to do', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'switchboard-tls-'));
  const [keyFile, certFile] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1'];
  const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '1'];
  spawnSync('openssl', ['req', '-x509', ...kind, '-keyout', keyFile, '-out', certFile, ...subject]);
  const came: string[] = [];
  const server = createServer({ key: readFileSync(keyFile), cert: readFileSync(certFile) }, (request, response) => {
    came.push(String(request.url));
    response.end();
  });
  server.on('tlsClientError', () => {});
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    const { port } = server.address() as AddressInfo;
    const client = await openGateway({ far: at(`https://127.0.0.1:${port}/mcp`, { headers: SECRETS }) }).connect();
    expect((await client.call('far__echo')).error).toMatchObject({
      code: 1074,
      message: `Server error: far is down: 127.0.0.1:${port}: its certificate is not accepted (DEPTH_ZERO_SELF_SIGNED_CERT). If your own authority signed it, set NODE_EXTRA_CA_CERTS to the certificate of that authority. Run: switchboard mcp test far`,
    });
    expect(came).toEqual([]);
  } finally {
    server.closeAllConnections();
    server.close();
    rmSync(folder, { recursive: true, force: true });
  }
});

async function freePort(): Promise<number> {
  const server = createTcpServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
