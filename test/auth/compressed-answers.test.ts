import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { brotliCompressSync, createGzip, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { afterEach, describe, expect, test } from 'vitest';
import { refreshTokens } from '../../src/auth/oauth/token-requests.ts';
import { createGuardedFetch, type GuardedFetch } from '../../src/net/guarded-fetch.ts';
import { refusalOf } from './login-harness.ts';

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close().closeAllConnections();
});

const TOKENS = Buffer.from(JSON.stringify({ access_token: 'new', token_type: 'Bearer', refresh_token: 'next' }));

describe('an authorization server that compresses responses unasked', () => {
  test.each([
    ['gzip', gzipSync],
    ['br', brotliCompressSync],
    ['deflate', deflateSync],
    ['deflate', deflateRawSync],
    ['identity', (bytes: Buffer) => bytes],
  ])('can issue tokens (%s)', async (encoding, compress) => {
    const tokens = await refreshAt((response) => send(response, { encoding, body: compress(TOKENS) }));
    expect(tokens).toMatchObject({ accessToken: 'new', refreshToken: 'next' });
  });

  test('can reject a request with a readable reason', async () => {
    const body = gzipSync(JSON.stringify({ error: 'invalid_grant', error_description: 'too old' }));
    const refused = refreshAt((response) => send(response, { encoding: 'gzip', body, status: 400 }));
    expect(await refusalOf(refused)).toEqual({
      code: 'SIGN_IN_NEEDED',
      message: expect.stringMatching(/refused to refresh the token: invalid_grant \(too old\)/),
    });
  });

  test.each([
    [
      'damaged',
      'gzip',
      gzipSync(TOKENS).fill(0x55, 12, 40),
      'BAD_ANSWER',
      /^HOST: its answer cannot be decompressed \(gzip: .+\)\.$/,
    ],
    [
      'truncated',
      'gzip',
      gzipSync(TOKENS).subarray(0, -5),
      'CONNECTION_CLOSED',
      /^HOST: its answer cannot be decompressed \(gzip: unexpected end of file\)\.$/,
    ],
    [
      'unknown',
      'zstd',
      TOKENS,
      'BAD_ANSWER',
      /^HOST: its answer has a Content-Encoding that is not supported \(zstd\); use gzip, br or deflate\.$/,
    ],
    ['twice', 'gzip, br', brotliCompressSync(gzipSync(TOKENS)), 'BAD_ANSWER', /not supported \(gzip, br\)/],
  ])('%s: is reported with the reason, and without tokens', async (_, encoding, body, code, words) => {
    const refusal = await refusalOf(refreshAt((response) => send(response, { encoding, body })));
    expect([refusal.code, refusal.message.replace(/127\.0\.0\.1:\d+/, 'HOST')]).toEqual([
      code,
      expect.stringMatching(words),
    ]);
  });

  test('without an end is aborted at the limit, and its connection is closed', async () => {
    let ended: Promise<unknown> | undefined;
    const refusal = await refusalOf(
      refreshAt((response) => {
        ended = once(response, 'close');
        response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' });
        const stream = createGzip().on('error', () => {});
        stream.pipe(response);
        const more = () => {
          if (!response.destroyed) stream.write(Buffer.alloc(1024 * 1024), more);
        };
        more();
      }),
    );
    expect(refusal).toEqual({ code: 'MESSAGE_TOO_LARGE', message: expect.stringContaining('more than 1048576 bytes') });
    await ended;
  });
});

interface Answer {
  readonly encoding: string;
  readonly body: Buffer;
  readonly status?: number;
}

function send(response: ServerResponse, { encoding, body, status = 200 }: Answer): void {
  response.writeHead(status, { 'content-type': 'application/json', 'content-encoding': encoding }).end(body);
}

async function refreshAt(answer: (response: ServerResponse) => void) {
  const server = createServer((_, response) => answer(response));
  servers.push(server);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const fetch: GuardedFetch = createGuardedFetch({ configuredUrl: issuer, env: {} });
  const client = { clientId: 'c', clientSecret: undefined, registration: 'dcr', authMethod: 'none' } as const;
  return refreshTokens({
    server: { issuer, token_endpoint: `${issuer}/token` },
    client,
    refreshToken: 'old',
    resource: issuer,
    fetch,
    now: Date.now,
  });
}
