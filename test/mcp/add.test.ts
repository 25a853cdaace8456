import { mkdirSync, statSync, symlinkSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { trackProcesses } from '../processes.ts';
import { verifies } from '../verifies.ts';
import { CODEX, GLOBAL, listed, ownConfig, PROJECT, serversIn, useWorlds, type World } from './world.ts';

const newWorld = useWorlds(trackProcesses());
const URL_A = 'https://example.com/mcp';

describe('switchboard mcp add', () => {
  verifies(['host:cli:add-http', 'host:cli:add-scope'], 'writes an http entry to the project config', async () => {
    const world = newWorld();
    const { status, stdout } = await world.mcp('add', 'notion', '--transport', 'http', '--url', URL_A);
    expect({ status, stdout }).toEqual({
      status: 0,
      stdout: `notion added in the project config, ${world.path(PROJECT)}.\n`,
    });
    expect(world.read(PROJECT)).toBe(
      `${JSON.stringify(ownConfig({ notion: { transport: 'http', url: URL_A } }), null, 2)}\n`,
    );
    expect(world.exists(GLOBAL)).toBe(false);
  });

  verifies('host:cli:add-scope', '--scope global writes a private file in a private folder', async () => {
    const world = newWorld();
    expect((await world.mcp('add', 'a', URL_A, '--scope', 'global')).status).toBe(0);
    expect(serversIn(world, GLOBAL)).toEqual({ a: { transport: 'http', url: URL_A } });
    expect(world.exists(PROJECT)).toBe(false);
    expect(statSync(world.path(GLOBAL)).mode & 0o777).toBe(0o600);
    expect(statSync(world.path('own')).mode & 0o777).toBe(0o700);
  });

  verifies('host:cli:add-stdio', 'writes a stdio entry', async () => {
    const world = newWorld();
    expect((await world.mcp('add', 'files', '--transport', 'stdio', '--command', 'npx')).status).toBe(0);
    expect(serversIn(world, PROJECT)).toEqual({ files: { transport: 'stdio', command: 'npx' } });
  });

  test('accepts a URL, or a command after --, without naming the transport', async () => {
    const world = newWorld();
    await world.mcp('add', 'a', URL_A);
    await world.mcp('add', 'b', '--deny-tool', 'x', '--', 'npx', '-y', '--json', '--help', 'server');
    expect(serversIn(world, PROJECT)).toEqual({
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
      const world = newWorld();
      const args = [
        ...['--enabled', 'false', '--request-timeout-ms', '5000', '--header', 'X-A=1=2', '--header=X-B=b'],
        ...['--header-env', 'X-Key=KEY', '--bearer-token-env-var', 'TOKEN'],
        ...['--oauth-authorization-url', 'https://a/authorize', '--oauth-token-url', 'https://a/token'],
        ...['--oauth-registration-url', 'https://a/register', '--oauth-client-id', 'id', '--oauth-scope', 'one two'],
        ...['--oauth-client-secret-env', 'SECRET', '--allow-tool', 'read', '--allow-tool', 'write'],
        ...['--deny-tool', 'delete', '--verbose'],
      ];
      expect(await world.mcp('add', 'a', URL_A, ...args)).toMatchObject({ status: 0 });
      expect(serversIn(world, PROJECT)).toEqual({
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
      const world = newWorld();
      const args = [
        ...['--command', 'run it', '--arg', '--verbose', '--arg', '-', '--arg', '', '--arg=--help', '--arg', '--help'],
        ...['--cwd', 'sub', '--env', 'A=1=2', '--env', 'B=', '--enabled', 'true'],
      ];
      expect(await world.mcp('add', 'a', ...args)).toMatchObject({ status: 0 });
      expect(serversIn(world, PROJECT)).toEqual({
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
    const world = newWorld();
    await world.mcp('add', 'a', '--scope', 'global', '--cwd', 'sub', '--', 'x');
    expect(serversIn(world, GLOBAL)).toEqual({
      a: { transport: 'stdio', command: 'x', cwd: world.path('project/sub') },
    });
  });

  verifies('host:cli:add-existing', 'with an existing id changes nothing', async () => {
    const world = newWorld();
    world.write(PROJECT, ownConfig({ a: { command: 'old' } }));
    const before = world.read(PROJECT);
    const { status, stderr } = await world.mcp('add', 'a', URL_A);
    expect(status).toBe(2);
    expect(stderr).toContain(
      `a is already in the project config (${world.path(PROJECT)}). Run it again with --replace`,
    );
    expect(world.read(PROJECT)).toBe(before);
  });

  verifies('host:cli:add-replace', '--replace overwrites the whole entry in place', async () => {
    const world = newWorld();
    world.write(PROJECT, ownConfig({ a: { command: 'old', args: ['x'], env: { A: 'b' } }, b: { command: 'b' } }));
    expect((await world.mcp('add', 'a', URL_A, '--replace')).stdout).toContain('a replaced in the project config');
    expect(Object.entries(serversIn(world, PROJECT))).toEqual([
      ['a', { transport: 'http', url: URL_A }],
      ['b', { command: 'b' }],
    ]);
    expect((await world.mcp('add', 'c', URL_A, '--replace')).stdout).toContain('c added');
  });

  verifies(
    'host:cli:add-other-scope',
    'with an id that only the other config has succeeds, and reports it',
    async () => {
      const world = newWorld();
      const global = world.write(GLOBAL, ownConfig({ a: { command: 'old' } }));
      const { status, stderr } = await world.mcp('add', 'a', URL_A);
      expect(status).toBe(0);
      expect(stderr).toContain(`it overrides the one in ${global}:5.`);
      expect(serversIn(world, GLOBAL)).toEqual({ a: { command: 'old' } });
      expect((await world.mcp('add', 'a', URL_A, '--scope', 'global', '--replace')).stderr).toContain(
        `this entry has no effect here, because the one in ${world.path(PROJECT)}:5 takes precedence.`,
      );
    },
  );

  verifies('config:layers:trust-add', 'trusts the entry as written, and nothing else', async () => {
    const world = newWorld();
    world.write(PROJECT, ownConfig({ stranger: { command: 'evil' } }));
    world.write('project/.mcp.json', { mcpServers: { other: { command: 'evil' } } });
    await world.mcp('add', 'mine', '--', 'good');
    const states = async () => Object.fromEntries((await listed(world)).map(({ id, state }) => [id, state]));
    expect(await states()).toEqual({ stranger: 'untrusted', mine: 'on', other: 'untrusted' });
    world.write(PROJECT, world.read(PROJECT).replace('"good"', '"changed"'));
    expect(await states()).toEqual({ stranger: 'untrusted', mine: 'untrusted', other: 'untrusted' });
    await world.mcp('add', 'mine', '--replace', '--', 'better');
    expect(await states()).toEqual({ stranger: 'untrusted', mine: 'on', other: 'untrusted' });
    const records = (world.json('own/trust.json') as { entries: unknown[] }).entries;
    expect(records).toHaveLength(1);
  });

  verifies('config:own:no-expansion', 'keeps a variable reference unexpanded, and so do its readers', async () => {
    const world = newWorld();
    const reference = `\${${'HOME'}}/x`;
    await world.mcp('add', 'a', '--env', `A=${reference}`, '--', 'run', reference);
    expect(serversIn(world, PROJECT)).toEqual({
      a: { transport: 'stdio', command: 'run', args: [reference], env: { A: reference } },
    });
    expect(await listed(world)).toMatchObject([{ id: 'a', args: [reference] }]);
  });

  test('--dry-run shows what it would write, without secrets, and writes nothing', async () => {
    const world = newWorld();
    const ran = await world.mcp('add', 'a', URL_A, '--header', 'X-A=geheim', '--dry-run');
    expect(ran).toEqual({
      status: 0,
      stdout: `a would be added in the project config, ${world.path(PROJECT)}:\n${JSON.stringify(
        { a: { transport: 'http', url: URL_A, headers: { 'X-A': '(value hidden)' } } },
        null,
        2,
      )}\n`,
      stderr: '',
    });
    expect(world.exists('project/.switchboard')).toBe(false);
    expect(world.exists('own')).toBe(false);
  });

  test('--json prints one document, without secrets', async () => {
    const world = newWorld();
    const { stdout, stderr } = await world.mcp('add', 'a', URL_A, '--header', 'Authorization=Bearer geheim', '--json');
    expect(stderr).toBe('');
    expect(JSON.parse(stdout)).toEqual({
      ...{ v: 1, action: 'added', id: 'a', scope: 'project', file: world.path(PROJECT), isDryRun: false },
      ...{ isTrusted: true, entry: { transport: 'http', url: URL_A, headers: { Authorization: '(value hidden)' } } },
      warnings: [expect.stringContaining('was on the command line'), expect.stringContaining('contains a secret')],
    });
    expect(stdout).not.toContain('geheim');
  });

  test('warns if a variable names the only config file that is read', async () => {
    const world = newWorld();
    const file = world.write('x.json', {});
    const ran = await world.run(['mcp', 'add', 'a', URL_A], { env: { CODEX_MCP_WRAPPER_CONFIG: file } });
    expect(ran.stderr).toContain('CODEX_MCP_WRAPPER_CONFIG is set');
  });
});

describe('switchboard mcp add refuses', () => {
  verifies(
    ['host:cli:add-http-needs-url', 'host:cli:add-stdio-needs-command', 'host:cli:add-id'],
    'invalid arguments as a usage error, names the cause, and writes nothing',
    async () => {
      const world = newWorld();
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
        const { status, stdout, stderr } = await world.mcp('add', ...args);
        expect({ args, status, stdout, stderr }).toEqual({
          ...{ args, status: 2, stdout: '' },
          stderr: expect.stringContaining(message),
        });
        // biome-ignore lint/suspicious/noControlCharactersInRegex: the test checks that they are absent
        expect(stderr).not.toMatch(/[\u0000-\u0009\u000b-\u001f]/);
      }
      expect(world.exists('project/.switchboard')).toBe(false);
      expect(world.exists('own')).toBe(false);
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
    const world = newWorld();
    const file = world.write(PROJECT, content);
    const { status, stderr } = await world.mcp('add', 'a', URL_A);
    expect({ status, stderr }).toEqual({ status: 7, stderr: expect.stringContaining(message) });
    expect(stderr).toContain(file);
    expect(world.read(PROJECT)).toBe(content);
  });

  test('if its trust cannot be stored', async () => {
    const world = newWorld();
    world.write('own/trust.json', 'damaged');
    expect((await world.mcp('add', 'a', URL_A)).status).toBe(7);
    expect(world.exists(PROJECT)).toBe(false);
    expect(world.read('own/trust.json')).toBe('damaged');
  });

  test('to write through a symlink of the project, into the global config or to a missing file', async () => {
    for (const target of ['own/config.json', 'nowhere.json']) {
      const world = newWorld();
      world.write('own/config.json', { version: 1 });
      mkdirSync(world.path('project/.switchboard'));
      symlinkSync(world.path(target), world.path(PROJECT));
      expect(await world.mcp('add', 'a', URL_A)).toMatchObject({
        status: 7,
        stderr: expect.stringContaining(
          'is a symbolic link in a repository, and Switchboard does not write through it',
        ),
      });
      expect(world.json('own/config.json')).toEqual({ version: 1 });
      expect(world.exists('nowhere.json')).toBe(false);
    }
  });
});

describe('below the folder of a project config', () => {
  const below = (world: World, ...args: readonly string[]) =>
    world.run(['mcp', ...args], { cwd: world.path('project/deep/down') });

  test('the nearest existing config is written and named, and the command runs in the folder where it was typed', async () => {
    const world = newWorld();
    mkdirSync(world.path('project/deep/down'), { recursive: true });
    const file = world.write(PROJECT, { version: 1 });
    const { status, stdout } = await below(world, 'add', 'a', '--', 'node', './server.js');
    expect([status, stdout]).toEqual([0, expect.stringContaining(file)]);
    expect(world.json(PROJECT)).toMatchObject({
      mcp: { servers: { a: { command: 'node', args: ['./server.js'], cwd: 'deep/down' } } },
    });
    const listed = JSON.parse((await below(world, 'list', '--scope', 'project', '--json')).stdout);
    expect(listed.servers).toMatchObject([{ id: 'a', file, enabled: true, state: 'on' }]);
    expect((await below(world, 'disable', 'a')).status).toBe(0);
    expect((await below(world, 'remove', 'a')).stdout).toContain(file);
    expect(world.json(PROJECT)).toEqual({ version: 1, mcp: { servers: {} } });
  });

  test('an entry in a farther config is disabled and removed there, and the nearer one takes effect', async () => {
    const world = newWorld();
    const [far, near] = [PROJECT, 'project/deep/.switchboard/config.json'];
    mkdirSync(world.path('project/deep/down'), { recursive: true });
    await world.mcp('add', 'a', URL_A);
    await world.mcp('add', 'b', URL_A);
    world.write(near, { version: 1 });
    expect((await below(world, 'add', 'a', 'https://near.example/mcp')).stdout).toContain(world.path(near));
    const rows = JSON.parse((await below(world, 'list', '--json')).stdout).servers;
    expect(rows).toMatchObject([
      { id: 'a', url: 'https://near.example/mcp', file: world.path(near) },
      { id: 'b', file: world.path(far) },
    ]);
    expect((await below(world, 'remove', 'b')).stdout).toContain(world.path(far));
    expect((await below(world, 'remove', 'a')).stdout).toContain(`The one in ${world.path(far)}`);
  });

  test('without a config, one is created in the working folder', async () => {
    const world = newWorld();
    mkdirSync(world.path('project/deep/down'), { recursive: true });
    await below(world, 'add', 'a', '--', 'node', './server.js');
    expect(world.json('project/deep/down/.switchboard/config.json')).toMatchObject({
      mcp: { servers: { a: { transport: 'stdio', command: 'node', args: ['./server.js'] } } },
    });
  });
});

test('files of other programs are never written', async () => {
  const world = newWorld();
  const codex = { mcpServers: { a: { command: 'a' } } };
  world.write(CODEX, codex);
  world.write('project/.mcp.json', codex);
  for (const verb of ['add', 'disable', 'enable', 'remove'])
    await world.mcp(verb, 'a', ...(verb === 'add' ? [URL_A] : []));
  expect([world.json(CODEX), world.json('project/.mcp.json')]).toEqual([codex, codex]);
});
