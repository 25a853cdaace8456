import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { afterEach, expect, test } from 'vitest';
import { readChallenge } from '../../src/auth/discovery/challenge.ts';
import { type Discovery, discover } from '../../src/auth/discovery/discovery.ts';
import { createGuardedFetch } from '../../src/net/guarded-fetch.ts';
import { refusalOf, useTestbeds } from './login-harness.ts';

const newTestbed = useTestbeds();
const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close().closeAllConnections();
});

test.each([
  ['gzip', gzipSync],
  ['x-gzip', gzipSync],
  ['deflate', deflateSync],
  ['deflate', deflateRawSync],
  ['br', brotliCompressSync],
])('decompresses metadata that is compressed unasked (%s)', async (packing, pack) => {
  const { found, origin, wanted } = await discoverAt((body) => [packing, pack(body)]);
  expect(found).toMatchObject({ server: { issuer: origin, token_endpoint: `${origin}/token` } });
  expect(new Set(wanted)).toEqual(new Set(['identity']));
});

test.each([
  ['with a mismatched encoding', (body: Buffer) => ['br', gzipSync(body)] as const],
  ['with an unknown encoding', (body: Buffer) => ['zstd', body] as const],
])('ignores compressed metadata %s', async (_, pack) => {
  expect((await discoverAt(pack)).found).toBeUndefined();
});

test('rejects compressed metadata that expands over the limit', async () => {
  const found = discoverAt(() => ['gzip', gzipSync(Buffer.alloc(8 * 1024 * 1024, ' '))]);
  expect(await refusalOf(found)).toEqual({
    code: 'MESSAGE_TOO_LARGE',
    message: expect.stringMatching(/^Could not determine how to sign in: .* answered with more than 1048576 bytes at /),
  });
});

test('unreadable named metadata does not mean that there is no sign-in', async () => {
  const testbed = await newTestbed({ server: { apiKeyOnly: 'key' } });
  const { origin, host } = new URL(testbed.server.url);
  const challenge = `Bearer resource_metadata="${origin}/meta?secret=1"`;
  const refusal = await refusalOf(testbed.credentials().handleRejection({ status: 401, challenge, sent: undefined }));
  const settings = 'set oauth.authorization_url and oauth.token_url in its entry';
  expect(refusal).toEqual({
    code: 'BAD_ANSWER',
    message: `notes (${host}) answered 401 and points to its OAuth metadata at ${origin}/meta, but none exists there: contact its operator, or ${settings}.`,
  });
});

type Pack = (body: Buffer) => readonly [packing: string, packed: Buffer];

/** A server that is its own authorization server and compresses every response. */
async function discoverAt(pack: Pack): Promise<{ found: Discovery | undefined; origin: string; wanted: unknown[] }> {
  const wanted: unknown[] = [];
  const server = createServer((request, response) => {
    wanted.push(request.headers['accept-encoding']);
    const body = request.url?.startsWith('/.well-known/oauth-protected-resource')
      ? { resource: `${origin}/mcp`, authorization_servers: [origin] }
      : {
          issuer: origin,
          authorization_endpoint: `${origin}/authorize`,
          token_endpoint: `${origin}/token`,
          code_challenge_methods_supported: ['S256'],
        };
    const [packing, packed] = pack(Buffer.from(JSON.stringify(body)));
    response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': packing }).end(packed);
  });
  servers.push(server);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const url = `${origin}/mcp`;
  const fetch = createGuardedFetch({ configuredUrl: url, env: {} });
  return {
    found: await discover(url, { challenge: readChallenge(undefined), settings: undefined, fetch }),
    origin,
    wanted,
  };
}
