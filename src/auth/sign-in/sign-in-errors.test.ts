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
])('of %s with the scope %s a person types what no shell takes for more', (serverId, scope, command) => {
  const error = signInNeeded({ serverId, url }, scope === undefined ? {} : { scope });
  expect([error.data, error.message.endsWith(`Run: ${command}`)]).toEqual([{ server: serverId, command }, true]);
  expect(error.message).not.toContain('geheim');
});

test('a command for its own sign-in is kept', () => {
  const named = { serverId: 'a', url, loginCommand: 'switchboard mcp login --config x.json a' };
  expect(signInNeeded(named).message).toMatch(/Run: switchboard mcp login --config x\.json a$/);
});

test('whoever wants a key is told where it goes', () => {
  expect(noSignInOffered({ serverId: '`id`', url }).message).toMatch(
    /switchboard mcp add '`id`' <url> --replace --header Authorization$/,
  );
});

test('over http to another machine nobody is sent to sign in', () => {
  expect(noSignInOffered({ serverId: 'lan', url: 'http://box:8000/mcp' }).message).toBe(
    'lan (box:8000) answered 401. Nobody can sign in over http, which others can read: give it an https address, or a key or token of its own. Put it into headers.Authorization of its entry: switchboard mcp add lan <url> --replace --header Authorization',
  );
});
