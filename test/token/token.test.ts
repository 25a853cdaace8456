import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { ensureLocalToken } from '../../src/serve/access/local-token.ts';
import { type Testbed, useTestbeds } from '../mcp/testbed.ts';
import { trackProcesses } from '../processes.ts';
import { modeOf } from '../temporary-folder.ts';
import { verifies } from '../verifies.ts';

const newTestbed = useTestbeds(trackProcesses());
const STORE = 'own/tokens.json';
const TOKEN = /swb_[\da-f]{12}_[\da-f]{64}/;

/** Creates a token with the command line, and returns it. */
async function create(testbed: Testbed, ...args: readonly string[]): Promise<string> {
  const { status, stdout } = await testbed.run(['token', 'create', ...args]);
  expect(status).toBe(0);
  return stdout.trim();
}

describe('switchboard token', () => {
  verifies(
    ['token:create:shown-once', 'token:store:hashed'],
    'shows a token once, stores its hash, lists what it permits and revokes it',
    async () => {
      const testbed = newTestbed();
      const options = ['--view', 'review', '--role', 'read', '--expires', '30d', '--folders'];
      const created = await testbed.run(['token', 'create', 'ci', ...options]);
      expect(created).toEqual({
        status: 0,
        stdout: expect.stringMatching(new RegExp(`^${TOKEN.source}\n$`)),
        stderr:
          'Created the token ci: role read, view review, may choose folders (no effect yet), expires in 30 days. It is not shown again.\n',
      });
      const token = created.stdout.trim();
      const id = token.slice(4, 16);
      expect([modeOf(testbed.path('own')), modeOf(testbed.path(STORE))]).toEqual(['700', '600']);
      expect(readdirSync(testbed.path('own')).filter((name) => name.includes('token'))).toEqual(['tokens.json']);
      expect(testbed.read(STORE)).not.toContain(token.slice(-64));

      await create(testbed, 'plain');
      const list = await testbed.run(['token', 'list']);
      expect(list).toMatchObject({ status: 0, stderr: '' });
      expect(list.stdout.split('\n').map((line) => line.split(/ {2,}/))).toEqual([
        ['NAME', 'ID', 'ROLE', 'VIEW', 'FOLDERS', 'EXPIRES', 'CREATED'],
        ['ci', id, 'read', 'review', 'yes', 'in 29 days', 'under a minute ago'],
        ['plain', expect.stringMatching(/^[\da-f]{12}$/), 'use', 'all', 'no', 'never', 'under a minute ago'],
        [''],
      ]);
      const json = await testbed.run(['token', 'list', '--json']);
      expect(JSON.parse(json.stdout)).toEqual({
        v: 1,
        tokens: [
          {
            ...{ id, name: 'ci', role: 'read', view: 'review', mayNameFolders: true, isExpired: false },
            ...{ expires: expect.stringMatching(/^20.*Z$/), createdAt: expect.stringMatching(/^20.*Z$/) },
          },
          {
            ...{ id: expect.any(String), name: 'plain', role: 'use', mayNameFolders: false },
            createdAt: expect.any(String),
          },
        ],
      });
      const revoked = await testbed.run(['token', 'revoke', id]);
      expect(revoked).toEqual({
        ...{ status: 0, stdout: 'Revoked ci. Running servers end its sessions within a second.\n', stderr: '' },
      });
      expect(testbed.json(STORE)).toMatchObject({ version: 1, tokens: [{ name: 'plain' }] });
      const again = await testbed.run(['token', 'revoke', 'plain', '--json']);
      expect(JSON.parse(again.stdout)).toEqual({ v: 1, id: expect.any(String), name: 'plain', revoked: true });
      expect((await testbed.run(['token'])).stdout).toBe(
        'There are no tokens.\nCreate one: switchboard token create <name>\n',
      );
      for (const { stdout, stderr } of [list, json, revoked, again]) expect(stdout + stderr).not.toMatch(/swb_/);
    },
  );

  test('with --json, prints the token in one document', async () => {
    const testbed = newTestbed();
    const { stdout, stderr } = await testbed.run(['token', 'create', 'ci', '--json']);
    const document = JSON.parse(stdout);
    expect(stderr).toBe('');
    expect(document).toEqual({
      ...{ v: 1, id: document.token.slice(4, 16), name: 'ci', role: 'use', mayNameFolders: false },
      ...{ createdAt: expect.any(String), token: expect.stringMatching(TOKEN) },
    });
  });

  test.each([
    [['create'], '<name> is missing.'],
    [
      ['create', 'ci'],
      'There is already a token ci. Choose another name, or replace it after: switchboard token revoke ci',
    ],
    [['create', 'a b'], '"a b" cannot be the name of a token: use up to 64 letters, digits and . _ @ -'],
    [['create', '\u001b[31m'], '"\\u001b[31m" cannot be the name of a token'],
    [['create', '0123456789ab'], '0123456789ab cannot be the name of a token: it looks like the id of a token.'],
    [['create', 'local'], 'own/http-token, which an HTTP server creates when it starts. Choose another name.'],
    [['create', 'x', '--role', 'root'], '--role must be use or read or admin, not root.'],
    [['create', 'x', '--role='], '--role is empty.'],
    [
      ['create', 'x', '--expires', 'soon'],
      '--expires takes a time of at most ten years, such as 12h, 30d or 8w, not soon.',
    ],
    [['create', 'x', '--expires', '0d'], 'not 0d.'],
    [['create', 'x', '--expires', '99y'], 'not 99y.'],
    [['create', 'x', '--view', 'a/b'], '--view a/b cannot be the name of a view'],
    [['create', 'x', '--roles', 'use'], 'Did you mean --role?'],
    [['create', 'x', 'y'], 'Unexpected argument y.'],
    [['revoke'], '<name|id> is missing.'],
    [['revoke', 'cii'], 'There is no token cii. Did you mean switchboard token revoke ci?'],
    [['revoke', 'xyzzyx'], 'There is no token xyzzyx. See: switchboard token list'],
    [['remove', 'ci'], 'There is no switchboard token remove.'],
  ])('refuses %j with the next step, and changes nothing', async (args, expected) => {
    const testbed = newTestbed();
    await create(testbed, 'ci');
    const content = testbed.read(STORE);
    const { status, stdout, stderr } = await testbed.run(['token', ...args]);
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr).toContain(expected);
    expect(testbed.read(STORE)).toBe(content);
  });

  test('does not repeat a token that was given instead of a name', async () => {
    const testbed = newTestbed();
    const token = await create(testbed, 'ci');
    for (const verb of ['create', 'revoke']) {
      const { status, stdout, stderr } = await testbed.run(['token', verb, token]);
      expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
      expect(stderr).not.toContain(token.slice(-20));
    }
  });

  test.each([
    ['damaged', '{"version":1,', 7],
    ['newer', '{"version":2,"tokens":[]}', 7],
  ])('refuses a %s store, and leaves it as it is', async (_case, content, status) => {
    const testbed = newTestbed();
    testbed.write(STORE, content);
    for (const args of [['create', 'x'], ['list'], ['revoke', 'x']])
      expect(await testbed.run(['token', ...args])).toEqual({
        ...{ status, stdout: '', stderr: expect.stringContaining('tokens.json') },
      });
    expect(testbed.read(STORE)).toBe(content);
    const doctor = await testbed.run(['doctor', '--json']);
    expect(doctor.stdout).toMatch(/tokens\.json(?::1)? cannot be used/);
  });

  test('processes that create tokens at once lose none, and a name is given once', async () => {
    const testbed = newTestbed();
    const names = Array.from({ length: 6 }, (_, index) => `token-${index}`);
    const ran = await Promise.all([...names, 'same', 'same'].map((name) => testbed.run(['token', 'create', name])));
    expect(ran.map(({ status }) => status).toSorted()).toEqual([0, 0, 0, 0, 0, 0, 0, 2]);
    const { tokens } = testbed.json(STORE) as { readonly tokens: readonly { readonly name: string }[] };
    expect(tokens.map(({ name }) => name).toSorted()).toEqual(['same', ...names]);
    expect(readdirSync(testbed.path('own')).filter((name) => name.includes('token'))).toEqual(['tokens.json']);
  });

  test('lists the token of this user with its file, revokes it with the file, and uninstalls both', async () => {
    const testbed = newTestbed();
    const own = { cwd: testbed.folder, home: testbed.folder, env: { SWITCHBOARD_HOME: testbed.path('own') } };
    await ensureLocalToken({ ...own, platform: process.platform });
    const file = testbed.path('own/http-token');
    expect(modeOf(file)).toBe('600');
    const secret = readFileSync(file, 'utf8').trim();
    const list = await testbed.run(['token', 'list']);
    expect(list.stdout).toMatch(/^local +[\da-f]{12} +use +all +yes +never/m);
    expect(list.stderr).toBe(`local is for your own programs. They read it from ${file}.\n`);
    const json = await testbed.run(['token', 'list', '--json']);
    expect(JSON.parse(json.stdout).tokens).toEqual([expect.objectContaining({ name: 'local', file })]);
    const dryRun = await testbed.run(['uninstall', '--dry-run']);
    expect(dryRun.stdout).toContain(file);
    expect(dryRun.stdout).toContain(testbed.path(STORE));
    const revoked = await testbed.run(['token', 'revoke', 'local']);
    expect(revoked.stdout).toBe(
      'Revoked local. Running servers end its sessions within a second. The next HTTP server that starts creates a new one.\n',
    );
    expect(testbed.exists('own/http-token')).toBe(false);
    for (const { stdout, stderr } of [list, json, dryRun, revoked]) expect(stdout + stderr).not.toContain(secret);
  });
});
