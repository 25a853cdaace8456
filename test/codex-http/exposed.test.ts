import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { shareHttpTestbed } from './testbed.ts';

const testbed = shareHttpTestbed();
const hasOpenssl = spawnSync('openssl', ['version']).status === 0;

/** Sends a GET request with this `Host`, and resolves with the status. */
function statusOf(url: string, host: string): Promise<number | undefined> {
  const request = url.startsWith('https:') ? httpsRequest : httpRequest;
  return new Promise((resolve, reject) => {
    request(url, { headers: { host }, rejectUnauthorized: false }, (response) => {
      response.resume();
      resolve(response.statusCode);
    })
      .once('error', reject)
      .end();
  });
}

test('behind a reverse proxy, the server prints what a token permits, accepts the host of the proxy and needs a token', async () => {
  const server = await testbed().serve({ args: ['--public-url', 'https://codex.example.test'] });
  expect(server.stderr()).toContain('Everyone with a token can run Codex as you on this machine.');
  const statuses = ['codex.example.test', 'other.example.test'].map((host) => statusOf(server.url, host));
  expect(await Promise.all(statuses)).toEqual([401, 403]);
  await server.kill('SIGTERM');
  const { status, stderr } = await testbed().cli(
    ...['codex', '--http', '0', '--auth', 'none', '--public-url', 'https://codex.example.test'],
  );
  expect([status, stderr]).toEqual([2, expect.stringContaining('--auth none is not possible')]);
});

test.skipIf(!hasOpenssl)('a certificate serves HTTPS', async () => {
  const { workDir } = testbed().home;
  const [cert, key] = [join(workDir, 'cert.pem'), join(workDir, 'key.pem')];
  const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-days', '1', '-subj', '/CN=localhost'];
  spawnSync('openssl', ['req', '-x509', ...kind, '-nodes', '-keyout', key, '-out', cert]);
  const server = await testbed().serve({ args: ['--tls-cert', cert, '--tls-key', key] });
  expect(server.url).toMatch(/^https:/);
  expect(await statusOf(server.url, 'localhost')).toBe(401);
  await server.kill('SIGTERM');
});

test('without readable owners of sessions, the server does not start', async () => {
  const home = testbed().env['SWITCHBOARD_HOME'] ?? '';
  const file = join(home, 'codex-owners.json');
  await testbed().token('any');
  writeFileSync(file, '{"version":1,"sessions":', { mode: 0o600 });
  const { status, stderr } = await testbed().cli('codex', '--http', '0');
  expect([status, stderr]).toEqual([7, expect.stringContaining(file)]);
});
