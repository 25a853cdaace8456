import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, test } from 'vitest';
import { trackProcesses } from '../processes.ts';
import { verifies } from '../verifies.ts';
import { CODEX, GLOBAL, listed, ownConfig, PROJECT, useTestbeds } from './testbed.ts';

const newTestbed = useTestbeds(trackProcesses());

describe('switchboard mcp list', () => {
  verifies(
    ['host:cli:list', 'host:cli:list-source'],
    'shows the effective entries with their source and state',
    async () => {
      const testbed = newTestbed();
      testbed.write(GLOBAL, ownConfig({ both: { command: 'global' }, mine: { url: 'https://g/mcp', enabled: false } }));
      testbed.write(CODEX, { mcpServers: { fetch: { command: 'uvx', args: ['x', '--token', 'geheim'] } } });
      const found = testbed.write('project/.mcp.json', { mcpServers: { shy: { command: 'x' }, 'odd one': {} } });
      await testbed.mcp('add', 'both', '--', 'project', 'two words');
      const { status, stdout, stderr } = await testbed.mcp('list');
      expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
      expect(table(stdout)).toEqual([
        ['id', 'transport', 'source', 'enabled', 'target', 'auth'],
        ['both', 'stdio', 'project', 'yes', 'project "two words"', 'none'],
        ['shy', 'stdio', 'mcp-json', 'no (untrusted)', 'x', 'none'],
        [
          ...['"odd one"', '-', 'mcp-json', 'broken'],
          `${found}:6: mcpServers["odd one"] needs "command", the program to start, or "url".`,
          'none',
        ],
        ['mine', 'http', 'global', 'no', 'https://g/mcp', 'none'],
        ['fetch', 'stdio', 'codex', 'yes', 'uvx x --token (value hidden)', 'none'],
      ]);
    },
  );

  test('prints a long command line in full when piped', async () => {
    const testbed = newTestbed();
    const args = Array.from({ length: 12 }, (_, index) => `--option-number-${index}`);
    testbed.write(GLOBAL, ownConfig({ long: { command: 'program', args } }));
    expect((await testbed.mcp('list')).stdout).toContain(`program ${args.join(' ')}`);
  });

  verifies('host:cli:list', '--scope shows only one config', async () => {
    const testbed = newTestbed();
    testbed.write(GLOBAL, ownConfig({ both: { command: 'global' }, mine: { command: 'm' } }));
    testbed.write(PROJECT, ownConfig({ both: { command: 'project' } }));
    const shown = async (scope: string) =>
      (await listed(testbed, '--scope', scope)).map(({ id, command }) => [id, command]);
    expect(await shown('project')).toEqual([['both', 'project']]);
    expect(await shown('global')).toEqual([
      ['both', 'global'],
      ['mine', 'm'],
    ]);
    expect((await testbed.mcp('list', '--scope', 'here')).stderr).toContain(
      '--scope must be effective or project or global, not here.',
    );
  });

  verifies('host:cli:list-static', 'connects to nothing and starts nothing', async () => {
    const testbed = newTestbed();
    let connections = 0;
    const server = createServer().on('connection', () => connections++);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    testbed.write(
      GLOBAL,
      ownConfig({ a: { url: `http://127.0.0.1:${port}/mcp` }, b: { command: 'touch', args: ['x'] } }),
    );
    expect((await testbed.mcp('list')).status).toBe(0);
    await new Promise((resolve) => server.close(resolve));
    expect({ connections, started: testbed.exists('project/x') }).toEqual({ connections: 0, started: false });
  });

  test('without a server suggests the next command', async () => {
    const { status, stdout, stderr } = await newTestbed().mcp('list');
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(stdout).toMatch(/^no MCP servers configured\nAdd one: switchboard mcp add <id> /);
  });

  test('without a server shows those of other clients, with the clients that use them', async () => {
    const testbed = newTestbed();
    testbed.write('.cursor/mcp.json', { mcpServers: { a: { command: 'a' }, files: { command: 'f' } } });
    testbed.write('.codex/config.toml', '[mcp_servers.files]\ncommand = "f"\n');
    expect((await testbed.mcp('list')).stdout).toMatch(
      /Your clients have:\n {2}files {2}Codex, Cursor\n {2}a {6}Cursor\nTo import them, run: switchboard import\n/,
    );
  });

  test('shows which clients use a server, once a client is known', async () => {
    const testbed = newTestbed();
    testbed.write(GLOBAL, ownConfig({ a: { command: 'a' }, b: { command: 'b' } }));
    testbed.write('.cursor/mcp.json', { mcpServers: {} });
    const record = { imported: ['a'], shared: [], seen: ['a'] };
    testbed.write('own/clients.json', { version: 1, clients: { codex: record } });
    expect(table((await testbed.mcp('list')).stdout).map((cells) => cells.at(-1))).toEqual(['used by', 'codex', '-']);
    await testbed.run(['connect', 'cursor', '--yes']);
    expect(await listed(testbed)).toMatchObject([
      { id: 'a', usedBy: ['codex', 'cursor'] },
      { id: 'b', usedBy: ['cursor'] },
    ]);
  });

  test('says why a file cannot be read, and exits with 7', async () => {
    const testbed = newTestbed();
    const file = testbed.write(GLOBAL, '{ "mcp": ');
    testbed.write(CODEX, { mcpServers: { a: { command: 'a' } } });
    const text = await testbed.mcp('list');
    expect(text).toMatchObject({ status: 7, stderr: expect.stringContaining(`${file}:1: Not JSON`) });
    expect(text.stdout).toContain('a   stdio');
    const json = await testbed.mcp('list', '--json');
    expect({ status: json.status, stderr: json.stderr }).toEqual({ status: 7, stderr: '' });
    expect(JSON.parse(json.stdout)).toMatchObject({ v: 1, servers: [{ id: 'a' }], problems: [{ file, line: 1 }] });
    expect((await testbed.mcp('list', '--scope', 'global')).status).toBe(7);
  });

  test('reads only the file that a variable names', async () => {
    const testbed = newTestbed();
    testbed.write(GLOBAL, ownConfig({ a: { command: 'a' } }));
    const file = testbed.write('x.json', { mcpServers: { b: { command: 'b' } } });
    const ran = await testbed.run(['mcp', 'list', '--json'], { env: { CODEX_MCP_WRAPPER_CONFIG: file } });
    expect(JSON.parse(ran.stdout).servers).toMatchObject([{ id: 'b', source: 'explicit', file }]);
  });

  test('shows no secret in any format', async () => {
    const testbed = newTestbed();
    testbed.write(
      GLOBAL,
      ownConfig({
        a: {
          url: 'https://me:geheim@x/mcp?key=geheim',
          headers: { 'X-A': 'geheim' },
          oauth: { client_secret: 'geheim' },
        },
        b: {
          command: 'x',
          args: [
            ...['--token', 'geheim', 'API_KEY=geheim', '--header', 'X-Team: geheim', 'X-API-Key: geheim'],
            ...['DB_PASS=geheim', '--pat', 'geheim', '--key', 'geheim'],
          ],
          env: { A: 'geheim' },
        },
      }),
    );
    for (const args of [
      ['list'],
      ['list', '--json'],
      ['get', 'a'],
      ['get', 'a', '--json'],
      ['get', 'b'],
      ['get', 'b', '--json'],
    ]) {
      const { status, stdout, stderr } = await testbed.mcp(...args);
      expect(status).toBe(0);
      expect(stdout + stderr).not.toContain('geheim');
    }
  });

  test('gives programs arguments and URLs without extra quotes', async () => {
    const testbed = newTestbed();
    testbed.write(
      GLOBAL,
      ownConfig({
        a: { url: 'https://x/mcp?api_key=geheim' },
        b: { command: 'x', args: ['two words', '--header', 'X-API-Key: geheim'] },
      }),
    );
    expect(await listed(testbed)).toMatchObject([
      { url: 'https://x/mcp?api_key=(value hidden)' },
      { args: ['two words', '--header', 'X-API-Key: (value hidden)'] },
    ]);
  });

  test('cannot be made to control the terminal', async () => {
    const testbed = newTestbed();
    const evil = '\u001b]52;c;eA==\u0007\u001b[2J\u202e\u001b]8;;http://x\u0007';
    testbed.write(CODEX, {
      mcpServers: {
        a: { command: evil, args: [evil] },
        [`x\u202e`]: { command: 'x' },
        b: { url: `https://x/${evil}` },
      },
    });
    for (const args of [
      ['list'],
      ['list', '--json'],
      ['get', 'a'],
      ['get', 'b', '--json'],
      ['get', evil],
      ['remove', evil],
    ]) {
      const { stdout, stderr } = await testbed.mcp(...args);
      expect(stdout + stderr).not.toMatch(STEERING);
    }
  });
});

describe('the authentication of a server', () => {
  test('is read from its entry or the stored sign-ins', async () => {
    const testbed = newTestbed();
    const url = 'https://x/mcp';
    const servers = {
      open: { url },
      key: { url, headers: { 'X-Api-Key': 'k' } },
      plain: { url, headers: { 'X-Mode': 'k' } },
      bearer: { url, bearer_token_env_var: 'TOKEN' },
      named: { url, header_env: { Authorization: 'AUTH' } },
      explicit: { url, oauth: { client_id: 'x' } },
      signed: { url },
      bare: { url: 'https://X' },
      expired: { url },
      renewable: { url },
      moved: { url },
    };
    testbed.write(GLOBAL, ownConfig(servers));
    const record = { access_token: 'geheim', token_type: 'Bearer', url };
    testbed.write('own/mcp-auth.json', {
      version: 1,
      servers: {
        signed: record,
        bare: { ...record, url: 'https://x/' },
        expired: { ...record, expires_at: 1 },
        renewable: { ...record, expires_at: 1, refresh_token: 'geheim' },
        moved: { ...record, url: 'https://y/mcp' },
        key: record,
      },
    });
    expect(Object.fromEntries((await listed(testbed)).map(({ id, auth }) => [id, auth]))).toEqual({
      open: 'none',
      key: 'header',
      plain: 'none',
      bearer: 'bearer from $TOKEN (not set)',
      named: 'header from $AUTH (not set)',
      explicit: 'oauth not signed in',
      signed: 'oauth signed in',
      bare: 'oauth signed in',
      expired: 'oauth sign-in expired',
      renewable: 'oauth signed in',
      moved: 'oauth not signed in',
    });
  });

  test('is shown as the name of a variable, not its value', async () => {
    const testbed = newTestbed();
    testbed.write(GLOBAL, ownConfig({ a: { url: 'https://x/mcp', bearer_token_env_var: 'TOKEN' } }));
    const { stdout } = await testbed.run(['mcp', 'list', '--json'], { env: { TOKEN: 'geheim' } });
    expect(JSON.parse(stdout).servers).toMatchObject([{ auth: 'bearer from $TOKEN (environment)' }]);
    await testbed.run(['secret', 'set', 'TOKEN'], { stdin: 'geheim\n' });
    const stored = await testbed.mcp('list');
    expect(stored.stdout).toContain('bearer from $TOKEN (secret store)');
    expect(stored.stdout).not.toContain('geheim');
  });

  test('is unknown if the store is damaged, which is reported once', async () => {
    const testbed = newTestbed();
    const url = 'https://x/mcp';
    testbed.write(GLOBAL, ownConfig({ a: { url }, b: { url, headers: { Authorization: 'x' } }, c: { url } }));
    const file = testbed.write('own/mcp-auth.json', 'damaged');
    const { status, stdout, stderr } = await testbed.mcp('list');
    expect([status, stderr.split(file).length - 1]).toEqual([7, 1]);
    expect(table(stdout).map((cells) => cells.at(-1))).toEqual(['auth', 'unknown', 'header', 'unknown']);
    const got = await testbed.mcp('get', 'a', '--json');
    expect([got.status, JSON.parse(got.stdout)]).toMatchObject([7, { auth: 'unknown', problems: [{ file }] }]);
  });

  test('is unknown for a server whose record is damaged, and known for the others', async () => {
    const testbed = newTestbed();
    const url = 'https://x/mcp';
    testbed.write(GLOBAL, ownConfig({ bad: { url }, good: { url } }));
    const good = { access_token: 'geheim', token_type: 'Bearer', url };
    testbed.write('own/mcp-auth.json', { version: 1, servers: { bad: { ...good, access_token: 5 }, good } });
    const { status, stdout, stderr } = await testbed.mcp('list');
    expect(table(stdout).map((cells) => cells.at(-1))).toEqual(['auth', 'unknown', 'oauth signed in']);
    expect([status, stderr]).toEqual([7, expect.stringContaining('mcp-auth.json:5')]);
  });
});

describe('switchboard mcp get', () => {
  test('shows every setting with its line, the defaults, and what has no effect', async () => {
    const testbed = newTestbed();
    const global = testbed.write(GLOBAL, ownConfig({ a: { command: 'x' } }));
    await testbed.mcp('add', 'a', 'https://x/mcp', '--header', 'X-A=geheim');
    const { status, stdout, stderr } = await testbed.mcp('get', 'a');
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    const lines = stdout.split('\n').map((line) => line.replace(/ {2,}/g, '  ').trimEnd());
    const file = testbed.path(PROJECT);
    expect(lines.slice(0, 7)).toEqual([
      `a, ${file}:5 (project)`,
      '  state  enabled',
      '  auth  none',
      '  url  https://x/mcp  (line 7)',
      '  headers.X-A  (value hidden)  (line 9)',
      '  transport  http  (line 6)',
      'By default:',
    ]);
    expect(lines.slice(-3)).toEqual([
      'Also defined elsewhere, without effect:',
      `  ${global}:5: the entry in ${file}:5 takes precedence`,
      '',
    ]);
    const json = JSON.parse((await testbed.mcp('get', 'a', '--json')).stdout);
    expect(json).toMatchObject({
      ...{ v: 1, id: 'a', source: 'project', file, line: 5, enabled: true, state: 'on', auth: 'none' },
      values: [{ key: 'url', shown: 'https://x/mcp', line: 7 }, { key: 'headers.X-A' }, { key: 'transport' }],
      overridden: [{ file: global, line: 5 }],
    });
  });

  test.each([
    ['fetsch', 'There is no server fetsch. Did you mean fetch?'],
    ['zzz', 'There is no server zzz. See: switchboard mcp list'],
    ['__proto__', 'There is no server __proto__.'],
  ])('of an unknown id %s suggests a name and exits with 2', async (id, message) => {
    const testbed = newTestbed();
    testbed.write(GLOBAL, ownConfig({ fetch: { command: 'a' } }));
    expect(await testbed.mcp('get', id)).toMatchObject({
      status: 2,
      stdout: '',
      stderr: expect.stringContaining(message),
    });
  });

  test('warns about an entry that may run code from the folder it starts in', async () => {
    const testbed = newTestbed();
    testbed.write(
      GLOBAL,
      ownConfig({ a: { command: 'python3', args: ['-m', 'x'] }, b: { command: 'bunx', args: ['x'] } }),
    );
    const warnings = [
      'python3 -m: Python before 3.11 loads modules from the folder',
      "bunx prefers packages, scripts and settings from the client's",
    ];
    for (const [at, id] of ['a', 'b'].entries()) {
      const { status, stderr } = await testbed.mcp('get', id);
      expect([status, stderr]).toEqual([0, expect.stringContaining(`Warning: ${warnings[at]}`)]);
      const { stdout } = await testbed.mcp('get', id, '--json');
      expect(JSON.parse(stdout)).toMatchObject({ warnings: [expect.stringContaining(String(warnings[at]))] });
    }
  });

  test('says why a server is not enabled', async () => {
    const testbed = newTestbed();
    testbed.write('project/.mcp.json', { mcpServers: { shy: { command: 'x' }, broken: { command: 1 } } });
    testbed.write(GLOBAL, ownConfig({ off: { command: 'x', enabled: false } }));
    const state = async (id: string) =>
      (await testbed.mcp('get', id)).stdout.split('\n')[1]?.replace(/ {2,}/g, ' ').trim();
    expect(await state('shy')).toBe(`state disabled: untrusted: run switchboard trust ${testbed.path('project')}`);
    expect(await state('broken')).toContain('state broken: ');
    expect(await state('off')).toBe('state disabled');
  });
});

// biome-ignore lint/suspicious/noControlCharactersInRegex: the test checks that they are absent
const STEERING = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/;

function table(text: string): string[][] {
  return text
    .trimEnd()
    .split('\n')
    .map((line) => line.split(/ {2,}/));
}
