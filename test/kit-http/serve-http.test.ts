import { connect } from 'node:net';
import { networkInterfaces } from 'node:os';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createServer, type ServeHttpOptions, serveHttp } from '../../src/kit/index.ts';
import { connectRaw } from '../fixtures/http/raw-http-client.ts';
import { verifies } from '../verifies.ts';

async function serveEcho(options: ServeHttpOptions) {
  const server = createServer({ name: 'echo', version: '1.0.0' });
  server.tool('echo', { description: 'Repeats.' }, ({ message }) => `${message}`);
  const serving = await serveHttp(server, options);
  onTestFinished(() => serving.close());
  return serving;
}

verifies(['kit:http:serve'], 'serveHttp serves both eras on loopback and returns the URL', async () => {
  const { url } = await serveEcho({ port: 0 });
  expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/mcp$/);
  const client = await connectRaw(url);
  expect((await client.call('echo', { message: 'hi' })).last?.result).toEqual({
    content: [{ type: 'text', text: 'hi' }],
  });
});

test('the host and the path can be chosen', async () => {
  const { url } = await serveEcho({ port: 0, host: 'localhost', path: '/tools' });
  expect(url).toMatch(/^http:\/\/localhost:\d+\/tools$/);
  await connectRaw(url);
});

test('with a token, clients must send it', async () => {
  const { url } = await serveEcho({ port: 0, token: 'secret-token' });
  const client = await connectRaw(url, { hello: false });
  const initialize = { jsonrpc: '2.0', id: 1, method: 'initialize', params: {} };
  expect((await client.post(initialize)).status).toBe(401);
  expect((await client.post(initialize, { authorization: 'Bearer secret-toke' })).status).toBe(401);
  expect((await client.post(initialize, { authorization: 'Bearer secret-token' })).status).toBe(200);
});

verifies(['kit:http:loopback'], 'serveHttp listens on loopback only, unless clients need a token', async () => {
  await expect(serveEcho({ port: 0, host: '0.0.0.0' })).rejects.toMatchObject({
    code: 'USAGE',
    message: expect.stringContaining('token'),
  });
  const { url } = await serveEcho({ port: 0 });
  const outside = Object.values(networkInterfaces()).flat();
  const address = outside.find((each) => each?.internal === false && each.family === 'IPv4')?.address;
  if (address === undefined) return;
  const socket = connect(Number(new URL(url).port), address);
  await expect(new Promise((resolve, reject) => socket.on('connect', resolve).on('error', reject))).rejects.toThrow();
});

describe('a mistake is reported at once', () => {
  test.each([
    ['a port that is no number', { port: Number.NaN }],
    ['a port that does not exist', { port: 65_536 }],
    ['a path without a slash', { port: 0, path: 'mcp' }],
    ['a path with a query', { port: 0, path: '/mcp?x' }],
    ['an empty token', { port: 0, token: '' }],
    ['an unknown host', { port: 0, host: 'no-such-host.invalid', token: 'x' }],
  ])('%s', async (_, options) => {
    await expect(serveEcho(options)).rejects.toMatchObject({ code: 'USAGE' });
  });

  test('an object that is no server', async () => {
    await expect(serveHttp({} as ReturnType<typeof createServer>, { port: 0 })).rejects.toMatchObject({
      code: 'USAGE',
    });
  });
});

test('the server stops listening when it is closed, and the port is free', async () => {
  const { url, close } = await serveEcho({ port: 0 });
  const client = await connectRaw(url);
  await close();
  await expect(client.get()).rejects.toThrow();
  const again = await serveEcho({ port: Number(new URL(url).port) });
  expect(again.url).toBe(url);
});
