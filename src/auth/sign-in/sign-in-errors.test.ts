import { expect, test } from 'vitest';
import { noSignInOffered, signInNeeded } from './sign-in-errors.ts';

const url = 'https://mcp.example.com/mcp?key=geheim';

test.each([
  ['notes', undefined, 'switchboard mcp login notes'],
  ['notes', 'read user:email', 'switchboard mcp login notes --scopes read,user:email'],
  ['notes', 'https://a.example/auth.read', 'switchboard mcp login notes --scopes https://a.example/auth.read'],
  ['notes', 'read a$(touch$IFS/tmp/x) `id` "x"', 'switchboard mcp login notes --scopes read'],
  ['notes', "';id;'", 'switchboard mcp login notes'],
  ['$(id)', undefined, "switchboard mcp login '$(id)'"],
])('quotes the login command for %s with scope %s for the shell', (serverId, scope, command) => {
  const error = signInNeeded({ serverId, url }, scope === undefined ? {} : { scope });
  expect([error.data, error.message.endsWith(`Run: ${command}`)]).toEqual([{ server: serverId, command }, true]);
  expect(error.message).not.toContain('geheim');
});

test('uses the loginCommand of the server if set', () => {
  const named = { serverId: 'a', url, loginCommand: 'switchboard mcp login --config x.json a' };
  expect(signInNeeded(named).message).toMatch(/Run: switchboard mcp login --config x\.json a$/);
});

test('explains where to configure an API key', () => {
  expect(noSignInOffered({ serverId: '`id`', url }).message).toMatch(
    /switchboard mcp add '`id`' <url> --replace --header Authorization$/,
  );
});

test('does not suggest a sign-in over http to another machine', () => {
  expect(noSignInOffered({ serverId: 'lan', url: 'http://box:8000/mcp' }).message).toBe(
    'lan (box:8000) answered 401. Signing in over http is not possible, because others can read it: use an https URL, or a key or token. Set the key or token as headers.Authorization in its entry: switchboard mcp add lan <url> --replace --header Authorization',
  );
});
