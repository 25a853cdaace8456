import { afterEach, expect, test } from 'vitest';
import { openAuthorizationServer } from '../auth/authorization-server.ts';
import { openProtectedServer } from '../auth/protected-server.ts';
import { type HttpFixtureName, openHttpFixture } from '../fixtures/http/paths.ts';
import { trackProcesses } from '../processes.ts';
import { runAsJson } from './listing-testbed.ts';
import { configure } from './test-report.ts';
import { useTestbeds } from './testbed.ts';

const processes = trackProcesses();
const newTestbed = useTestbeds(processes);
const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

test('a server that requires a sign-in exits with status 3 and names the command once, for every verb', async () => {
  const authorizationServer = await openAuthorizationServer();
  closers.push(() => authorizationServer.close());
  const server = await openProtectedServer({ authorizationServer });
  closers.push(() => server.close());
  const testbed = configure(newTestbed(), { notes: { url: server.url } });
  const rows = [
    ['tools'],
    ['tool', 'notes.echo'],
    ['resources', 'read', 'notes', 'a://b'],
    ['prompts', 'get', 'notes.p'],
  ];
  for (const args of rows) {
    const { status, stdout, stderr } = await testbed.mcp(...args);
    expect([status, stdout]).toEqual([3, '']);
    expect(stderr.split('switchboard mcp login notes')).toHaveLength(2);
  }
  expect(await runAsJson(testbed, 'resources', 'list')).toMatchObject({
    status: 3,
    answer: { failures: [{ server: 'notes', code: 'SIGN_IN_NEEDED', next: 'switchboard mcp login notes' }] },
    error: { code: 'SIGN_IN_NEEDED', server: 'notes' },
  });
});

test.each(['well-behaved', 'stateless', 'modern', 'legacy-sse'] as const)(
  'every protocol is listed in the same way: %s',
  async (name) => {
    const testbed = configure(newTestbed(), { far: { url: await urlOf(name) } });
    const { status, stdout, stderr } = await testbed.mcp('tools');
    expect([status, stderr, stdout]).toEqual([0, '', expect.stringMatching(/^far\.\w/)]);
  },
);

test('an unreachable server is reported with the command that tests it', async () => {
  const testbed = configure(newTestbed(), { away: { url: 'http://127.0.0.1:9/mcp' } });
  const { status, stdout, stderr } = await testbed.mcp('prompts', 'list');
  expect([status, stdout, stderr]).toEqual([
    ...[4, ''],
    expect.stringMatching(/^away: 127\.0\.0\.1:9: nothing answers .* Run: switchboard mcp test away\n/),
  ]);
});

async function urlOf(name: HttpFixtureName): Promise<string> {
  const far = await openHttpFixture(name, { env: processes.env() });
  closers.push(() => far.close());
  return far.url;
}
