import { once } from 'node:events';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { TLSSocket } from 'node:tls';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { fixture } from '../fixtures/paths.ts';
import { run } from '../gateway/run-cli.ts';
import { openTestFront } from '../kit-http/front.ts';
import { trackProcesses } from '../processes.ts';
import { certify, hasOpenssl } from '../token/certificates.ts';
import { verifies } from '../verifies.ts';
import { exposedHomes, WITHIN } from './exposed-gateway.ts';

const processes = trackProcesses();
const homeIn = exposedHomes(processes);
const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'switchboard-tls-'));
  folders.push(folder);
  return folder;
}

interface Sent {
  readonly port: number;
  /** The file of the certificate that the client trusts. */
  readonly cert: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly message: Readonly<Record<string, unknown>>;
}

/** Sends one message on a connection of its own. Fails if the server presents another certificate. */
async function post({ port, cert, headers = {}, message }: Sent) {
  const accept = 'application/json, text/event-stream';
  const sent = request({
    ...{ host: '127.0.0.1', port, path: '/mcp', method: 'POST', ca: readFileSync(cert), agent: false },
    headers: { 'content-type': 'application/json', accept, ...headers },
  });
  sent.end(JSON.stringify({ jsonrpc: '2.0', ...message }));
  const [response] = await once(sent, 'response');
  const { fingerprint256 } = (response.socket as TLSSocket).getPeerCertificate();
  const session: string | undefined = response.headers['mcp-session-id'];
  return { status: response.statusCode, session, fingerprint256, body: await text(response) };
}

const INITIALIZE = {
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'tls', version: '1' } },
};

async function start(folder: string) {
  const files = certify(folder, 'a');
  const home = homeIn(folder);
  home.configure({ servers: { one: fixture('well-behaved') } });
  const gateway = await home.start('--tls-cert', files.cert, '--tls-key', files.key);
  return { gateway, files, authorization: `Bearer ${gateway.token}` };
}

describe.skipIf(!hasOpenssl)('with a certificate', () => {
  verifies('token:tls:served', 'the gateway serves HTTPS, and prints no warning', async () => {
    const { gateway, files, authorization } = await start(newFolder());
    expect(gateway.url).toMatch(/^https:/);
    expect(gateway.process.stderr).not.toMatch(/encrypt|private key/);
    const { port } = gateway;
    expect((await post({ port, cert: files.cert, message: INITIALIZE })).status).toBe(401);
    const opened = await post({ port, cert: files.cert, headers: { authorization }, message: INITIALIZE });
    expect(opened.status).toBe(200);
    const headers = { authorization, 'mcp-session-id': String(opened.session) };
    const message = { id: 2, method: 'tools/call', params: { name: 'one__echo', arguments: { text: 'sealed' } } };
    expect((await post({ port, cert: files.cert, headers, message })).body).toContain('sealed');
    await expect(fetch(`http://127.0.0.1:${port}/health`)).rejects.toThrow();
  });

  verifies('token:tls:renewed', 'a renewed one is used without a restart, and a broken one is not', async () => {
    const folder = newFolder();
    const { gateway, files, authorization } = await start(folder);
    const { port } = gateway;
    const opened = await post({ port, cert: files.cert, headers: { authorization }, message: INITIALIZE });
    const headers = { authorization, 'mcp-session-id': String(opened.session) };
    const message = { id: 2, method: 'ping' };
    writeFileSync(files.cert, 'nonsense');
    await gateway.says(`${files.cert} contains no certificate in PEM format.`);
    await gateway.says('The previous certificate stays in use.');
    const renewed = certify(folder, 'b');
    copyFileSync(renewed.cert, files.cert);
    copyFileSync(renewed.key, files.key);
    await gateway.says('New connections use the renewed certificate.');
    const after = await post({ port, cert: renewed.cert, headers, message });
    expect(after.status).toBe(200);
    expect(after.fingerprint256).not.toBe(opened.fingerprint256);
  });

  test.each([
    ['--tls-cert', { cert: 'gone.pem' }, 'gone.pem'],
    ['--tls-key', { key: 'gone.pem' }, 'gone.pem'],
  ])('%s with a missing file ends with its name', async (option, changed, named) => {
    const folder = newFolder();
    const { cert, key } = { ...certify(folder, 'a'), ...changed };
    const args = ['gateway', '--http', '0', '--tls-cert', cert, '--tls-key', key];
    const env = processes.env({ HOME: folder, SWITCHBOARD_HOME: folder });
    const { status, stderr } = await run(args, { env, cwd: folder });
    expect(status).toBe(7);
    expect(stderr).toContain(`${option}: there is no file`);
    expect(stderr).toContain(named);
  });

  test('a connection without a handshake ends after a limit', async () => {
    const { cert, key } = certify(newFolder(), 'a');
    const tls = { cert: readFileSync(cert), key: readFileSync(key) };
    const { port } = await openTestFront({ tls, limits: { headersTimeoutMs: 200 } });
    const silent = connect(port, '127.0.0.1');
    silent.on('error', () => {}).resume();
    await once(silent, 'close');
  });

  test('connections without a handshake keep no client from being served', async () => {
    const { cert, key } = certify(newFolder(), 'a');
    const tls = { cert: readFileSync(cert), key: readFileSync(key) };
    const { port } = await openTestFront({ tls, limits: { maxConnections: 3 } });
    const silent = Array.from({ length: 6 }, () => connect(port, '127.0.0.1').on('error', () => {}));
    try {
      const closed = () => silent.filter(({ closed: isClosed }) => isClosed).length;
      for (const socket of silent) socket.resume();
      await vi.waitFor(() => expect(closed()).toBe(3), WITHIN);
      expect((await post({ port, cert, message: INITIALIZE })).status).toBe(200);
    } finally {
      for (const socket of silent) socket.destroy();
    }
  });
});
