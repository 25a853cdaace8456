import { expect, test } from 'vitest';
import { trackProcesses } from '../processes.ts';
import { stateOf, useGatewayWorlds, wordsOf } from './gateway-world.ts';

const newWorld = useGatewayWorlds(trackProcesses());
const NEEDED = /^1003 notes \(127\.0\.0\.1:\d+\) needs you to sign in.*Run: switchboard mcp login notes/;

test('a rejected call leaves the public tools of its server usable, and works after the sign-in', async () => {
  const world = await newWorld({ server: { isOpen: true } });
  const gateway = await world.openGateway();
  expect(wordsOf(await gateway.call('notes__whoami'))).toMatch(NEEDED);
  expect(wordsOf(await gateway.call('notes__echo', { text: 'public' }))).toBe('public');
  expect(await stateOf(gateway)).toBe('ready');
  await world.login();
  expect(wordsOf(await gateway.call('notes__whoami'))).toBe('alice');
});

test('a revoked sign-in affects only the tools that need one', async () => {
  const world = await newWorld({ server: { isOpen: true } });
  await world.login();
  const gateway = await world.openGateway();
  expect(wordsOf(await gateway.call('notes__whoami'))).toBe('alice');
  world.authorizationServer.forgetAccessTokens();
  world.authorizationServer.forgetRefreshTokens();
  expect(wordsOf(await gateway.call('notes__whoami'))).toMatch(NEEDED);
  expect(wordsOf(await gateway.call('notes__echo', { text: 'public' }))).toBe('public');
  expect(await stateOf(gateway)).toBe('ready');
});

test.each([
  ['for missing scopes', { scopeStatus: 401 }],
  ['for any token', { refusesTool: 'needs-scope' }],
] as const)('a tool that responds with 401 %s does not affect the others with the same sign-in', async (_, server) => {
  const world = await newWorld({ server });
  await world.login('notes', '--scopes', 'mcp:read');
  const gateway = await world.openGateway();
  expect(wordsOf(await gateway.call('notes__whoami'))).toBe('alice');
  const before = greetings(world);
  expect(wordsOf(await gateway.call('notes__needs-scope'))).toMatch(NEEDED);
  expect(wordsOf(await gateway.call('notes__whoami'))).toBe('alice');
  expect(await stateOf(gateway)).toBe('ready');
  expect(greetings(world)).toBe(before);
});

test('the last rejected call is the last error in the status of its server', async () => {
  const world = await newWorld({ server: { isOpen: true } });
  const gateway = await world.openGatewayForCommands();
  await gateway.call('notes__whoami');
  const { stdout } = await world.run('mcp', 'status', 'notes');
  expect(stdout).toMatch(/last error +.*needs you to sign in/);
});

test('a rejected Authorization header of the entry is the last error in the status of its server', async () => {
  const world = await newWorld({ server: { apiKeyOnly: 'key-of-the-server', refusesTool: 'whoami' } }, (url) => ({
    keyed: { transport: 'http', url, headers: { Authorization: 'Bearer key-of-the-server' } },
  }));
  const gateway = await world.openGatewayForCommands();
  expect(wordsOf(await gateway.call('keyed__whoami'))).toContain('answered 401 to the Authorization header');
  const { stdout } = await world.run('mcp', 'status', 'keyed');
  expect(stdout).toMatch(/last error +.*answered 401 to the Authorization header from its entry/);
  expect(stdout).not.toContain('key-of-the-server');
});

function greetings({ server }: Awaited<ReturnType<typeof newWorld>>): number {
  return server.seen.filter(({ body }) => body.includes('"method":"initialize"')).length;
}
