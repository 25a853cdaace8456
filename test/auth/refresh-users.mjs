// @ts-check
// Several users of one sign-in in one process: each calls a tool once, as soon as a line comes on stdin.
// Arguments: the built modules, the home, the server's URL, how many, and whether they share what they know.
import { once } from 'node:events';

const [modules = '', home = '', url = '', count = '1', sharing = 'shared'] = process.argv.slice(2);
const { openAuthStore, createCredentials, createGuardedFetch } = await import(modules);

const newCredentials = () => {
  const store = openAuthStore({ cwd: home, home, env: { SWITCHBOARD_HOME: home }, platform: process.platform });
  const fetch = createGuardedFetch({ configuredUrl: url, env: {} });
  const login = { serverId: 'notes', url, settings: undefined, store, fetch, now: Date.now };
  return createCredentials({ ...login, hasOwnAuthorization: false });
};
const common = newCredentials();
const users = Array.from({ length: Number(count) }, () => (sharing === 'shared' ? common : newCredentials()));

process.stdout.write('ready\n');
await once(process.stdin, 'data');
process.stdin.destroy();
const outcomes = await Promise.all(users.map((credentials) => call(credentials).catch((error) => error.message)));
process.stdout.write(JSON.stringify(outcomes));

/** @param {any} credentials */
async function call(credentials) {
  for (let attempt = 0; attempt < 3; attempt++) {
    const sent = await credentials.authorization();
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'whoami' } });
    const headers = { 'content-type': 'application/json', authorization: sent };
    const response = await fetch(url, { method: 'POST', headers, body });
    const text = await response.text();
    if (response.ok) return JSON.parse(text).result.content[0].text;
    await credentials.refused({ status: response.status, challenge: response.headers.get('www-authenticate'), sent });
  }
  throw new Error('refused three times');
}
