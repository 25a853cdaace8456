import { mkdirSync, statSync, symlinkSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { trackProcesses } from '../processes.ts';
import { verifies } from '../verifies.ts';
import { CODEX, GLOBAL, listed, ownConfig, PROJECT, serversIn, type Testbed, useTestbeds } from './testbed.ts';

const newTestbed = useTestbeds(trackProcesses());
const URL_A = 'https://example.com/mcp';

describe('switchboard mcp add', () => {
  verifies(['host:cli:add-http', 'host:cli:add-scope'], 'writes an http entry to the project config', async () => {
    const testbed = newTestbed();
    const { status, stdout } = await testbed.mcp('add', 'notion', '--transport', 'http', '--url', URL_A);
    expect({ status, stdout }).toEqual({
      status: 0,
      stdout: `notion added in the project config, ${testbed.path(PROJECT)}.\n`,
    });
    expect(testbed.read(PROJECT)).toBe(
      `${JSON.stringify(ownConfig({ notion: { transport: 'http', url: URL_A } }), null, 2)}\n`,
    );
    expect(testbed.exists(GLOBAL)).toBe(false);
  });

  verifies('host:cli:add-scope', '--scope global writes a private file in a private folder', async () => {
    const testbed = newTestbed();
    expect((await testbed.mcp('add', 'a', URL_A, '--scope', 'global')).status).toBe(0);
    expect(serversIn(testbed, GLOBAL)).toEqual({ a: { transport: 'http', url: URL_A } });
    expect(testbed.exists(PROJECT)).toBe(false);
    expect(statSync(testbed.path(GLOBAL)).mode & 0o777).toBe(0o600);
    expect(statSync(testbed.path('own')).mode & 0o777).toBe(0o700);
  });

  verifies('host:cli:add-stdio', 'writes a stdio entry', async () => {
    const testbed = newTestbed();
    expect((await testbed.mcp('add', 'files', '--transport', 'stdio', '--command', 'npx')).status).toBe(0);
    expect(serversIn(testbed, PROJECT)).toEqual({ files: { transport: 'stdio', command: 'npx' } });
  });

  test('accepts a URL, or a command after --, without naming the transport', async () => {
    const testbed = newTestbed();
    await testbed.mcp('add', 'a', URL_A);
    await testbed.mcp('add', 'b', '--deny-tool', 'x', '--', 'npx', '-y', '--json', '--help', 'server');
    expect(serversIn(testbed, PROJECT)).toEqual({
      a: { transport: 'http', url: URL_A },
      b: {
        transport: 'stdio',
        command: 'npx',
        args: ['-y', '--json', '--help', 'server'],
        disabled_tools: ['x'],
      },
    });
  });

  verifies(
    ['host:cli:add-enabled', 'host:cli:add-timeout', 'host:cli:add-header', 'host:cli:add-oauth'],
    'writes every option of an HTTP server',
    async () => {
      const testbed = newTestbed();
      const args = [
        ...['--enabled', 'false', '--request-timeout-ms', '5000', '--header', 'X-A=1=2', '--header=X-B=b'],
        ...['--header-env', 'X-Key=KEY', '--bearer-token-env-var', 'TOKEN'],
        ...['--oauth-authorization-url', 'https://a/authorize', '--oauth-token-url', 'https://a/token'],
        ...['--oauth-registration-url', 'https://a/register', '--oauth-client-id', 'id', '--oauth-scope', 'one two'],
        ...['--oauth-client-secret-env', 'SECRET', '--allow-tool', 'read', '--allow-tool', 'write'],
        ...['--deny-tool', 'delete', '--verbose'],
      ];
      expect(await testbed.mcp('add', 'a', URL_A, ...args)).toMatchObject({ status: 0 });
      expect(serversIn(testbed, PROJECT)).toEqual({
        a: {
          transport: 'http',
          url: URL_A,
          headers: { 'X-A': '1=2', 'X-B': 'b' },
          header_env: { 'X-Key': 'KEY' },
          bearer_token_env_var: 'TOKEN',
          oauth: {
            authorization_url: 'https://a/authorize',
            token_url: 'https://a/token',
            registration_url: 'https://a/register',
            client_id: 'id',
            client_secret_env: 'SECRET',
            scope: 'one two',
          },
          enabled: false,
          enabled_tools: ['read', 'write'],
          disabled_tools: ['delete'],
          request_timeout_ms: 5000,
        },
      });
    },
  );

  verifies(
    ['host:cli:add-arg', 'host:cli:add-cwd', 'host:cli:add-env', 'host:cli:add-enabled'],
    'writes every option of a stdio server',
    async () => {
      const testbed = newTestbed();
      const args = [
        ...['--command', 'run it', '--arg', '--verbose', '--arg', '-', '--arg', '', '--arg=--help', '--arg', '--help'],
        ...['--cwd', 'sub', '--env', 'A=1=2', '--env', 'B=', '--enabled', 'true'],
      ];
      expect(await testbed.mcp('add', 'a', ...args)).toMatchObject({ status: 0 });
      expect(serversIn(testbed, PROJECT)).toEqual({
        a: {
          transport: 'stdio',
          command: 'run it',
          args: ['--verbose', '-', '', '--help', '--help'],
          cwd: 'sub',
          env: { A: '1=2', B: '' },
          enabled: true,
        },
      });
    },
  );

  test('resolves a relative folder in the global config against the working folder', async () => {
    const testbed = newTestbed();
    await testbed.mcp('add', 'a', '--scope', 'global', '--cwd', 'sub', '--', 'x');
    expect(serversIn(testbed, GLOBAL)).toEqual({
      a: { transport: 'stdio', command: 'x', cwd: testbed.path('project/sub') },
    });
  });

  verifies('host:cli:add-existing', 'with an existing id changes nothing', async () => {
    const testbed = newTestbed();
    testbed.write(PROJECT, ownConfig({ a: { command: 'old' } }));
    const before = testbed.read(PROJECT);
    const { status, stderr } = await testbed.mcp('add', 'a', URL_A);
    expect(status).toBe(2);
    expect(stderr).toContain(
      `a is already in the project config (${testbed.path(PROJECT)}). Run it again with --replace`,
    );
    expect(testbed.read(PROJECT)).toBe(before);
  });

  verifies('host:cli:add-replace', '--replace overwrites the whole entry in place', async () => {
    const testbed = newTestbed();
    testbed.write(PROJECT, ownConfig({ a: { command: 'old', args: ['x'], env: { A: 'b' } }, b: { command: 'b' } }));
    expect((await testbed.mcp('add', 'a', URL_A, '--replace')).stdout).toContain('a replaced in the project config');
    expect(Object.entries(serversIn(testbed, PROJECT))).toEqual([
      ['a', { transport: 'http', url: URL_A }],
      ['b', { command: 'b' }],
    ]);
    expect((await testbed.mcp('add', 'c', URL_A, '--replace')).stdout).toContain('c added');
  });

  verifies(
    'host:cli:add-other-scope',
    'with an id that only the other config has succeeds, and reports it',
    async () => {
      const testbed = newTestbed();
      const global = testbed.write(GLOBAL, ownConfig({ a: { command: 'old' } }));
      const { status, stderr } = await testbed.mcp('add', 'a', URL_A);
      expect(status).toBe(0);
      expect(stderr).toContain(`it overrides the one in ${global}:5.`);
      expect(serversIn(testbed, GLOBAL)).toEqual({ a: { command: 'old' } });
      expect((await testbed.mcp('add', 'a', URL_A, '--scope', 'global', '--replace')).stderr).toContain(
        `this entry has no effect here, because the one in ${testbed.path(PROJECT)}:5 takes precedence.`,
      );
    },
  );

  verifies('config:layers:trust-add', 'trusts the entry as written, and nothing else', async () => {
    const testbed = newTestbed();
    testbed.write(PROJECT, ownConfig({ stranger: { command: 'evil' } }));
    testbed.write('project/.mcp.json', { mcpServers: { other: { command: 'evil' } } });
    await testbed.mcp('add', 'mine', '--', 'good');
    const states = async () => Object.fromEntries((await listed(testbed)).map(({ id, state }) => [id, state]));
    expect(await states()).toEqual({ stranger: 'untrusted', mine: 'on', other: 'untrusted' });
    testbed.write(PROJECT, testbed.read(PROJECT).replace('"good"', '"changed"'));
    expect(await states()).toEqual({ stranger: 'untrusted', mine: 'untrusted', other: 'untrusted' });
    await testbed.mcp('add', 'mine', '--replace', '--', 'better');
    expect(await states()).toEqual({ stranger: 'untrusted', mine: 'on', other: 'untrusted' });
    const records = (testbed.json('own/trust.json') as { entries: unknown[] }).entries;
    expect(records).toHaveLength(1);
  });

  verifies('config:own:no-expansion', 'keeps a variable reference unexpanded, and so do its readers', async () => {
    const testbed = newTestbed();
    const reference = `\${${'HOME'}}/x`;
    await testbed.mcp('add', 'a', '--env', `A=${reference}`, '--', 'run', reference);
    expect(serversIn(testbed, PROJECT)).toEqual({
      a: { transport: 'stdio', command: 'run', args: [reference], env: { A: reference } },
    });
    expect(await listed(testbed)).toMatchObject([{ id: 'a', args: [reference] }]);
  });

  test('--dry-run shows what it would write, without secrets, and writes nothing', async () => {
    const testbed = newTestbed();
    const ran = await testbed.mcp('add', 'a', URL_A, '--header', 'X-A=geheim', '--dry-run');
    expect(ran).toEqual({
      status: 0,
      stdout: `a would be added in the project config, ${testbed.path(PROJECT)}:\n${JSON.stringify(
        { a: { transport: 'http', url: URL_A, headers: { 'X-A': '(value hidden)' } } },
        null,
        2,
      )}\n`,
      stderr: '',
    });
    expect(testbed.exists('project/.switchboard')).toBe(false);
    expect(testbed.exists('own')).toBe(false);
  });

  test('--json prints one document, without secrets', async () => {
    const testbed = newTestbed();
    const { stdout, stderr } = await testbed.mcp(
      'add',
      'a',
      URL_A,
      '--header',
      'Authorization=Bearer geheim',
      '--json',
    );
    expect(stderr).toBe('');
    expect(JSON.parse(stdout)).toEqual({
      ...{ v: 1, action: 'added', id: 'a', scope: 'project', file: testbed.path(PROJECT), isDryRun: false },
      ...{ isTrusted: true, entry: { transport: 'http', url: URL_A, headers: { Authorization: '(value hidden)' } } },
      warnings: [expect.stringContaining('was on the command line'), expect.stringContaining('contains a secret')],
    });
    expect(stdout).not.toContain('geheim');
  });

  test('warns if a variable names the only config file that is read', async () => {
    const testbed = newTestbed();
    const file = testbed.write('x.json', {});
    const ran = await testbed.run(['mcp', 'add', 'a', URL_A], { env: { CODEX_MCP_WRAPPER_CONFIG: file } });
    expect(ran.stderr).toContain('CODEX_MCP_WRAPPER_CONFIG is set');
  });
});

describe('switchboard mcp add refuses', () => {
  verifies(
    ['host:cli:add-http-needs-url', 'host:cli:add-stdio-needs-command', 'host:cli:add-id'],
    'invalid arguments as a usage error, names the cause, and writes nothing',
    async () => {
      const testbed = newTestbed();
      const cases: readonly (readonly [readonly string[], string])[] = [
        [[], '<id> is missing.'],
        [['a'], 'A server needs a URL, or a command after --.'],
        [['a', '--transport', 'http'], '--transport http needs --url <url>.'],
        [['a', '--transport', 'stdio'], '--transport stdio needs --command <program>.'],
        [['a', '--transport', 'sse', '--url', URL_A], '--transport must be http or stdio, not sse.'],
        [['a', '--transport', 'http', '--', 'x'], '--transport http needs --url <url>.'],
        [['a', URL_A, '--', 'x'], 'A server has a URL or a command, not both.'],
        [['a', URL_A, '--url', URL_A], 'The URL is given twice.'],
        [['a', 'http://127.0.0.1:99999/'], 'http://127.0.0.1:99999/ is not a valid URL: check its host and port.'],
        [['a', 'http://me:geheim@x:99999/'], '"http://(value hidden)@x:99999/" is not a valid URL'],
        [['a', 'npx'], 'npx does not begin with http:// or https://. Put a command after --.'],
        [['a', 'ftp://x'], 'ftp://x does not begin with http:// or https://. Put a command after --.'],
        [['a', URL_A, 'more'], 'Unexpected argument more: put the command after --.'],
        [['a', URL_A, '--env', 'A=b'], '--env applies only to stdio servers.'],
        [['a', '--header', 'A=b', '--', 'x'], '--header applies only to HTTP servers.'],
        [['a', '--'], 'The command is missing.'],
        [['a', '--command', 'x', '--', 'y'], 'Give the command after --, or with --command and --arg, not both.'],
        [['a', URL_A, '--enabled', 'maybe'], '--enabled must be true or false, not maybe.'],
        [['a', URL_A, '--scope', 'here'], '--scope must be project or global, not here.'],
        [
          ['a', URL_A, '--request-timeout-ms', 'soon'],
          '--request-timeout-ms must be a number of milliseconds, not soon.',
        ],
        [['a', URL_A, '--request-timeout-ms', '9999999999'], 'request_timeout_ms must be a number of milliseconds'],
        [
          ['a', 'https://me:x@example.com'],
          'has a user name or password in its url: put them in headers.Authorization.',
        ],
        [
          ['a', URL_A, '--header', 'Host=x', '--enabled', 'false'],
          'sets the header Host, which is reserved for the protocol.',
        ],
        [['a', URL_A, '--header-env', 'mcp-session-id=X'], 'sets the header mcp-session-id, which is reserved'],
        [['a', URL_A, '--header', '=b'], '--header takes name=value.'],
        [['a', URL_A, '--header', 'a b=c'], 'headers["a b"]: this is not a valid header name.'],
        [['a', URL_A, '--header', 'a=1', '--header', 'A:2'], '--header a and --header A set the same header: use one.'],
        [['a', URL_A, '--header', 'a=1', '--header-env', 'A=V'], '--header a and --header-env A set the same header'],
        [
          ['a', URL_A, '--header-env', 'a=V', '--header-env', 'A=W'],
          '--header-env a and --header-env A set the same header',
        ],
        [['a', URL_A, '--header', 'X-Name=日本'], 'has a character in the header X-Name that is not allowed there'],
        [['a', URL_A, '--header', 'X-Name=a\u0007'], 'has a character in the header X-Name that is not allowed there'],
        [['a', URL_A, '--bearer-token', ''], '--bearer-token is empty.'],
        [['a', URL_A, '--oauth-client-id='], '--oauth-client-id is empty.'],
        [['a', 'node', 'x.js'], 'Unexpected argument x.js: put the command after --.'],
        [['a', URL_A, '--header', 'a=b\r\nc: d'], 'headers.a may not contain a line break.'],
        [['a', URL_A, '--header-env', 'A'], '--header-env takes name=VARIABLE.'],
        [['a', URL_A, '--bearer-token-env-var', 'a value'], 'bearer_token_env_var must be the name of a variable'],
        [['a', URL_A, '--oauth-token-url', 'x'], '--oauth-token-url must be a URL'],
        [['a', URL_A, '--header', 'authorization=x', '--bearer-token', 'y'], 'set the same header: use one.'],
        [['a', URL_A, '--oauth-client-secret', 'x', '--oauth-client-secret-env', 'Y'], 'set the same value: use one.'],
        [['a', URL_A, '--url'], '--url needs a value.'],
        [['a', URL_A, '--scope', '--json'], '--scope needs a value.'],
        [['a', '--url', URL_A, '--url', URL_A], '--url may be given only once.'],
        [['a', URL_A, '--replace=yes'], '--replace takes no value.'],
        [['a', URL_A, '--tranport', 'http'], 'There is no option --tranport. Did you mean --transport?'],
        [['a', URL_A, '-x'], 'There is no option -x.'],
        ...['a b', 'ä', '../../x', '__proto__', 'constructor', 'a/b', '', 'x'.repeat(65), 'a\nb', '.'].map(
          (id) => [[id, URL_A], 'cannot be an id: '] as const,
        ),
      ];
      for (const [args, message] of cases) {
        const { status, stdout, stderr } = await testbed.mcp('add', ...args);
        expect({ args, status, stdout, stderr }).toEqual({
          ...{ args, status: 2, stdout: '' },
          stderr: expect.stringContaining(message),
        });
        // biome-ignore lint/suspicious/noControlCharactersInRegex: the test checks that they are absent
        expect(stderr).not.toMatch(/[\u0000-\u0009\u000b-\u001f]/);
      }
      expect(testbed.exists('project/.switchboard')).toBe(false);
      expect(testbed.exists('own')).toBe(false);
    },
    300_000,
  );

  test.each([
    ['a newer version', '{ "version": 2, "mcp": { "servers": {} } }', ':1: This is version 2'],
    ['invalid JSON', '{ "version": 1,\n "mcp": { "servers": {', ':2: Not JSON'],
    ['another dialect', '{ "mcpServers": {} }', ':1: "mcpServers" belongs in a .mcp.json'],
    ['a duplicate id', '{ "mcp": { "servers": {\n "a": {}, "a": {} } } }', 'a appears more than once'],
    ['an array', '[]', ':1: The file must be an object'],
  ])('a file with %s, which stays unchanged', async (_, content, message) => {
    const testbed = newTestbed();
    const file = testbed.write(PROJECT, content);
    const { status, stderr } = await testbed.mcp('add', 'a', URL_A);
    expect({ status, stderr }).toEqual({ status: 7, stderr: expect.stringContaining(message) });
    expect(stderr).toContain(file);
    expect(testbed.read(PROJECT)).toBe(content);
  });

  test('if its trust cannot be stored', async () => {
    const testbed = newTestbed();
    testbed.write('own/trust.json', 'damaged');
    expect((await testbed.mcp('add', 'a', URL_A)).status).toBe(7);
    expect(testbed.exists(PROJECT)).toBe(false);
    expect(testbed.read('own/trust.json')).toBe('damaged');
  });

  test('to write through a symlink of the project, into the global config or to a missing file', async () => {
    for (const target of ['own/config.json', 'nowhere.json']) {
      const testbed = newTestbed();
      testbed.write('own/config.json', { version: 1 });
      mkdirSync(testbed.path('project/.switchboard'));
      symlinkSync(testbed.path(target), testbed.path(PROJECT));
      expect(await testbed.mcp('add', 'a', URL_A)).toMatchObject({
        status: 7,
        stderr: expect.stringContaining(
          'is a symbolic link in a repository, and Switchboard does not write through it',
        ),
      });
      expect(testbed.json('own/config.json')).toEqual({ version: 1 });
      expect(testbed.exists('nowhere.json')).toBe(false);
    }
  });
});

describe('below the folder of a project config', () => {
  const below = (testbed: Testbed, ...args: readonly string[]) =>
    testbed.run(['mcp', ...args], { cwd: testbed.path('project/deep/down') });

  test('the nearest existing config is written and named, and the command runs in the folder where it was typed', async () => {
    const testbed = newTestbed();
    mkdirSync(testbed.path('project/deep/down'), { recursive: true });
    const file = testbed.write(PROJECT, { version: 1 });
    const { status, stdout } = await below(testbed, 'add', 'a', '--', 'node', './server.js');
    expect([status, stdout]).toEqual([0, expect.stringContaining(file)]);
    expect(testbed.json(PROJECT)).toMatchObject({
      mcp: { servers: { a: { command: 'node', args: ['./server.js'], cwd: 'deep/down' } } },
    });
    const listed = JSON.parse((await below(testbed, 'list', '--scope', 'project', '--json')).stdout);
    expect(listed.servers).toMatchObject([{ id: 'a', file, enabled: true, state: 'on' }]);
    expect((await below(testbed, 'disable', 'a')).status).toBe(0);
    expect((await below(testbed, 'remove', 'a')).stdout).toContain(file);
    expect(testbed.exists('project/.switchboard')).toBe(false);
  });

  test('an entry in a farther config is disabled and removed there, and the nearer one takes effect', async () => {
    const testbed = newTestbed();
    const [far, near] = [PROJECT, 'project/deep/.switchboard/config.json'];
    mkdirSync(testbed.path('project/deep/down'), { recursive: true });
    await testbed.mcp('add', 'a', URL_A);
    await testbed.mcp('add', 'b', URL_A);
    testbed.write(near, { version: 1 });
    expect((await below(testbed, 'add', 'a', 'https://near.example/mcp')).stdout).toContain(testbed.path(near));
    const rows = JSON.parse((await below(testbed, 'list', '--json')).stdout).servers;
    expect(rows).toMatchObject([
      { id: 'a', url: 'https://near.example/mcp', file: testbed.path(near) },
      { id: 'b', file: testbed.path(far) },
    ]);
    expect((await below(testbed, 'remove', 'b')).stdout).toContain(testbed.path(far));
    expect((await below(testbed, 'remove', 'a')).stdout).toContain(`The one in ${testbed.path(far)}`);
  });

  test('without a config, one is created in the working folder', async () => {
    const testbed = newTestbed();
    mkdirSync(testbed.path('project/deep/down'), { recursive: true });
    await below(testbed, 'add', 'a', '--', 'node', './server.js');
    expect(testbed.json('project/deep/down/.switchboard/config.json')).toMatchObject({
      mcp: { servers: { a: { transport: 'stdio', command: 'node', args: ['./server.js'] } } },
    });
  });
});

test('files of other programs are never written', async () => {
  const testbed = newTestbed();
  const codex = { mcpServers: { a: { command: 'a' } } };
  testbed.write(CODEX, codex);
  testbed.write('project/.mcp.json', codex);
  for (const verb of ['add', 'disable', 'enable', 'remove'])
    await testbed.mcp(verb, 'a', ...(verb === 'add' ? [URL_A] : []));
  expect([testbed.json(CODEX), testbed.json('project/.mcp.json')]).toEqual([codex, codex]);
});
