import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, test } from 'vitest';
import { fixture } from '../fixtures/paths.ts';
import { run } from '../gateway/run-cli.ts';
import { trackProcesses } from '../processes.ts';
import { verifies } from '../verifies.ts';
import { type ExposedGateway, exposedHomes } from './exposed-gateway.ts';

const processes = trackProcesses();
const homeIn = exposedHomes(processes);
const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

function newHome() {
  const folder = mkdtempSync(join(tmpdir(), 'switchboard-exposed-'));
  folders.push(folder);
  const home = homeIn(folder);
  home.configure({ servers: { one: fixture('well-behaved') } });
  return home;
}

const PING = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params: {} });

/** Sends a request with these headers to the loopback address. */
async function send({ port, token }: ExposedGateway, headers: Readonly<Record<string, string>>) {
  const accept = 'application/json, text/event-stream';
  const own = { authorization: `Bearer ${token}`, 'content-type': 'application/json', accept };
  const sent = request({ host: '127.0.0.1', port, path: '/mcp', method: 'POST', headers: { ...own, ...headers } });
  sent.end(PING);
  const [response] = await once(sent, 'response');
  return { status: response.statusCode, body: await text(response) };
}

const UNENCRYPTED = /without encryption.*Add --tls-cert and --tls-key/;

describe('an address that other machines reach', () => {
  verifies('token:exposed:hosts', 'accepts IP addresses and loopback names in Host, and no other name', async () => {
    const gateway = await newHome().start();
    expect(gateway.process.stderr).toMatch(UNENCRYPTED);
    const { port } = gateway;
    for (const headers of [
      { host: `127.0.0.1:${port}` },
      { host: `localhost:${port}` },
      { host: '192.168.0.7' },
      { host: `[fe80::1]:${port}` },
      { host: '192.168.0.7', origin: 'http://192.168.0.7' },
      { host: 'localhost', origin: 'http://localhost:3000' },
    ])
      expect((await send(gateway, headers)).status, JSON.stringify(headers)).toBe(200);
    for (const headers of [
      { host: `rebound.example:${port}` },
      { host: '192.168.0.7.evil.example' },
      { host: '192.168.0.7', origin: 'http://203.0.113.5' },
      { host: '192.168.0.7', origin: 'https://evil.example' },
      { host: '192.168.0.7', origin: 'null' },
    ]) {
      const { status, body } = await send(gateway, headers);
      expect(status, JSON.stringify(headers)).toBe(403);
      expect(body).toContain('--public-url');
    }
  });

  test('needs a token on every path but /health', async () => {
    const gateway = await newHome().start();
    const origin = new URL(gateway.url).origin;
    for (const path of ['/mcp', '/mcp/one', '/mcp/@view', '/anything']) {
      const response = await fetch(`${origin}${path}`, { method: 'POST', body: PING });
      expect([path, response.status, response.headers.get('www-authenticate')]).toEqual([path, 401, 'Bearer']);
    }
    expect((await fetch(`${origin}/health`)).status).toBe(200);
  });
});

describe('--public-url', () => {
  verifies('token:exposed:public-url', 'adds its Host and its Origin, and no warning if it is https', async () => {
    const gateway = await newHome().start('--http', '127.0.0.1:0', '--public-url', 'https://mcp.example.com');
    expect(gateway.process.stderr).toContain('Its public URL is https://mcp.example.com/mcp.');
    expect(gateway.process.stderr).not.toMatch(/encrypt/);
    for (const headers of [
      { host: 'mcp.example.com' },
      { host: 'mcp.example.com', origin: 'https://mcp.example.com' },
      { host: 'localhost', origin: 'https://mcp.example.com' },
      { host: '127.0.0.1' },
    ])
      expect((await send(gateway, headers)).status, JSON.stringify(headers)).toBe(200);
    for (const headers of [
      { host: 'evil.example' },
      { host: '192.168.0.7' },
      { host: 'mcp.example.com', origin: 'http://mcp.example.com' },
      { host: 'mcp.example.com', origin: 'https://mcp.example.com:8443' },
      { host: 'mcp.example.com', origin: 'https://evil.example' },
    ])
      expect((await send(gateway, headers)).status, JSON.stringify(headers)).toBe(403);
  });

  test('of http is served with a warning, and one of https in front of an open address without', async () => {
    const plain = await newHome().start('--http', '127.0.0.1:0', '--public-url', 'http://desk.example');
    expect(plain.process.stderr).toContain('http://desk.example is not encrypted');
    const proxied = await newHome().start('--public-url', 'https://mcp.example.com');
    expect(proxied.process.stderr).not.toMatch(/encrypt/);
  });
});

test.each([
  [['--http', '0.0.0.0:0'], '--http is 0.0.0.0:0'],
  [['--http', '[::]:0'], '--http is [::]:0'],
  [['--http', '0', '--public-url', 'https://mcp.example.com'], 'remove --public-url'],
])('%j with --auth none is refused, and nothing listens', async (args, mentioned) => {
  const { folder } = newHome();
  const env = processes.env({ HOME: folder, SWITCHBOARD_HOME: folder });
  const { status, stderr } = await run(['gateway', ...args, '--auth', 'none'], { env, cwd: folder });
  expect(status).toBe(2);
  expect(stderr).toContain(mentioned);
  expect(stderr).not.toContain('Listening');
});
