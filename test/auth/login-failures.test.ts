import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { mcpLogin } from '../../src/cli/mcp/login/command.ts';
import { openHttpFixture } from '../fixtures/http/paths.ts';
import { trackProcesses } from '../processes.ts';
import { browse, ID, useTestbeds } from './login-harness.ts';
import { runCommand, writeConfig } from './run-login-command.ts';

const processes = trackProcesses();
const newTestbed = useTestbeds();
const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

describe('a login', () => {
  test('follows a redirect to the same path with a slash', async () => {
    const testbed = await newTestbed({ server: { hasSlash: true, challengeScope: 'mcp:read' } });
    writeConfig(testbed);
    const onTalk = (line: string) => {
      const address = /visit: {2}(\S+)/.exec(line)?.[1];
      if (address !== undefined) void browse(address);
    };
    const ended = await runCommand(mcpLogin, testbed, [ID, '--wait', '--no-browser'], { onTalk });
    expect([ended.status, ended.stdout]).toEqual([0, expect.stringMatching(/^Signed in to notes\. .*mcp:read/)]);
    expect(testbed.server.seen.map(({ method, path }) => `${method} ${path}`).slice(0, 2)).toEqual([
      'POST /mcp',
      'POST /mcp/',
    ]);
  });

  test('that cannot reach its server names it and its location in the config', async () => {
    const testbed = await newTestbed();
    writeConfig(testbed, { gone: { url: 'http://127.0.0.1:1/mcp' } });
    const file = join(testbed.folder, 'config.json');
    const text = await runCommand(mcpLogin, testbed, ['gone', '--wait']);
    expect([text.status, text.stderr]).toEqual([
      4,
      expect.stringMatching(
        /^gone \(.*config\.json:\d+\): 127\.0\.0\.1:1: nothing answers at this address \(ECONNREFUSED\)\.\nCheck that the server is running/,
      ),
    ]);
    const json = await runCommand(mcpLogin, testbed, ['gone', '--wait', '--json']);
    expect(JSON.parse(json.stderr).error).toMatchObject({ code: 'UNREACHABLE', server: 'gone', file });
  });

  test('that fails because of a redirect names its server too', async () => {
    const testbed = await newTestbed();
    const moved = await listen((_, response) => response.writeHead(308, { location: 'https://x.example/mcp' }).end());
    writeConfig(testbed, { moved: { url: `${moved}/mcp` } });
    const { status, stderr } = await runCommand(mcpLogin, testbed, ['moved', '--wait']);
    expect([status, stderr]).toEqual([
      9,
      expect.stringMatching(/^moved \(.*config\.json:\d+\): .* redirects a POST to https:\/\/x\.example\/mcp, which/),
    ]);
  });

  test('waits for a hanging server no longer than the timeout, and prints nothing after that', async () => {
    const testbed = await newTestbed();
    const hanging = await listen(() => {});
    writeConfig(testbed, { hanging: { url: `${hanging}/mcp` } });
    const ended = await runCommand(mcpLogin, testbed, ['hanging', '--wait', '--timeout', '1']);
    expect(ended).toMatchObject({
      ...{ status: 8, stdout: '' },
      stderr: expect.stringMatching(
        /^hanging did not report how to sign in within 1 s\. Run it again: switchboard mcp login hanging\n/,
      ),
    });
  });
});

test('a login that replaces one to another URL says so first', async () => {
  const testbed = await newTestbed();
  writeConfig(testbed);
  await testbed.signIn();
  testbed.store.update(ID, (record) => record && { ...record, url: 'https://other.example.com/mcp' });
  const lines: string[] = [];
  const onTalk = (line: string) => {
    lines.push(line);
    const address = /visit: {2}(\S+)/.exec(line)?.[1];
    if (address !== undefined) void browse(address);
  };
  const ended = await runCommand(mcpLogin, testbed, [ID, '--wait', '--no-browser'], { onTalk });
  expect([ended.status, lines[0]]).toEqual([0, expect.stringContaining('stored sign-in of notes is for another URL')]);
});

describe('a login has nothing to do', () => {
  test.each([
    ['well-behaved server', 'well-behaved'],
    ['modern server', 'modern'],
    ['server with SSE', 'legacy-sse'],
  ] as const)('for a %s that needs no sign-in', async (_, name) => {
    const testbed = await newTestbed();
    const fixture = await openHttpFixture(name, { env: processes.env() });
    ends.push(() => fixture.close());
    writeConfig(testbed, { open: { url: fixture.url } });
    const ended = await runCommand(mcpLogin, testbed, ['open', '--wait']);
    expect(ended).toEqual({ status: 0, stdout: 'open does not require a sign-in.', stderr: '' });
  });

  test('but rejects a web page', async () => {
    const testbed = await newTestbed();
    const page = await listen((_, response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<html>'));
    writeConfig(testbed, { page: { url: `${page}/mcp` } });
    const { status, stdout, stderr } = await runCommand(mcpLogin, testbed, ['page', '--wait']);
    expect([status, stdout, stderr]).toEqual([
      4,
      '',
      expect.stringMatching(/^page \(.*config\.json:\d+\): .*text\/html/),
    ]);
  });
});

async function listen(answer: RequestListener): Promise<string> {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  ends.push(() => server.close().closeAllConnections());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
