import { expect, test } from 'vitest';
import { trackProcesses } from '../processes.ts';
import { stateOf, textOf, useGatewayTestbeds } from './gateway-testbed.ts';

const newTestbed = useGatewayTestbeds(trackProcesses());
const NEEDED = /^1003 notes \(127\.0\.0\.1:\d+\) needs you to sign in.*Run: switchboard mcp login notes/;

test('a rejected call leaves the public tools of its server usable, and works after the sign-in', async () => {
  const testbed = await newTestbed({ server: { isOpen: true } });
  const gateway = await testbed.openGateway();
  expect(textOf(await gateway.call('notes__whoami'))).toMatch(NEEDED);
  expect(textOf(await gateway.call('notes__echo', { text: 'public' }))).toBe('public');
  expect(await stateOf(gateway)).toBe('ready');
  await testbed.login();
  expect(textOf(await gateway.call('notes__whoami'))).toBe('alice');
});

test('a revoked sign-in affects only the tools that need one', async () => {
  const testbed = await newTestbed({ server: { isOpen: true } });
  await testbed.login();
  const gateway = await testbed.openGateway();
  expect(textOf(await gateway.call('notes__whoami'))).toBe('alice');
  testbed.authorizationServer.forgetAccessTokens();
  testbed.authorizationServer.forgetRefreshTokens();
  expect(textOf(await gateway.call('notes__whoami'))).toMatch(NEEDED);
  expect(textOf(await gateway.call('notes__echo', { text: 'public' }))).toBe('public');
  expect(await stateOf(gateway)).toBe('ready');
});

test.each([
  ['for missing scopes', { scopeStatus: 401 }],
  ['for any token', { refusesTool: 'needs-scope' }],
] as const)('a tool that responds with 401 %s does not affect the others with the same sign-in', async (_, server) => {
  const testbed = await newTestbed({ server });
  await testbed.login('notes', '--scopes', 'mcp:read');
  const gateway = await testbed.openGateway();
  expect(textOf(await gateway.call('notes__whoami'))).toBe('alice');
  const before = countInitializeRequests(testbed);
  expect(textOf(await gateway.call('notes__needs-scope'))).toMatch(NEEDED);
  expect(textOf(await gateway.call('notes__whoami'))).toBe('alice');
  expect(await stateOf(gateway)).toBe('ready');
  expect(countInitializeRequests(testbed)).toBe(before);
});

test('the last rejected call is the last error in the status of its server', async () => {
  const testbed = await newTestbed({ server: { isOpen: true } });
  const gateway = await testbed.openGatewayForCommands();
  await gateway.call('notes__whoami');
  const { stdout } = await testbed.run('mcp', 'status', 'notes');
  expect(stdout).toMatch(/last error +.*needs you to sign in/);
});

test('a rejected Authorization header of the entry is the last error in the status of its server', async () => {
  const testbed = await newTestbed({ server: { apiKeyOnly: 'key-of-the-server', refusesTool: 'whoami' } }, (url) => ({
    keyed: { transport: 'http', url, headers: { Authorization: 'Bearer key-of-the-server' } },
  }));
  const gateway = await testbed.openGatewayForCommands();
  expect(textOf(await gateway.call('keyed__whoami'))).toContain('answered 401 to the Authorization header');
  const { stdout } = await testbed.run('mcp', 'status', 'keyed');
  expect(stdout).toMatch(/last error +.*answered 401 to the Authorization header from its entry/);
  expect(stdout).not.toContain('key-of-the-server');
});

function countInitializeRequests({ server }: Awaited<ReturnType<typeof newTestbed>>): number {
  return server.seen.filter(({ body }) => body.includes('"method":"initialize"')).length;
}
