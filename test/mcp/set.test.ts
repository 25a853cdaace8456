import { describe, expect, test } from 'vitest';
import { fixture } from '../fixtures/paths.ts';
import { trackProcesses } from '../processes.ts';
import { CODEX, GLOBAL, listed, ownConfig, PROJECT, serversIn, useTestbeds } from './testbed.ts';

const newTestbed = useTestbeds(trackProcesses());

describe('switchboard mcp set', () => {
  test('changes single settings, typed by their keys, and keeps every comment of the file', async () => {
    const testbed = newTestbed();
    testbed.write(
      GLOBAL,
      `{ "version": 1, "mcp": { "servers": {
  // the first
  "a": { "command": "node", "args": ["x"] }, // stays
  "b": { "command": "b" }
} } }
`,
    );
    const { status, stdout, stderr } = await testbed.run([
      ...[
        'set',
        'a',
        'command=bun',
        'args+=--port',
        'args+=80',
        'env.REGION=eu',
        'request_timeout_ms=5000',
        'pin=true',
        'share=client',
      ],
    ]);
    expect([status, stderr]).toEqual([0, 'Next: switchboard mcp test a\n']);
    expect(stdout).toBe(
      [
        `a changed in the global config, ${testbed.path(GLOBAL)}:`,
        '  command: "node" -> "bun"',
        '  args: ["x"] -> ["x","--port","80"]',
        '  env.REGION: (not set) -> "(value hidden)"',
        '  request_timeout_ms: (not set) -> 5000',
        '  pin: (not set) -> true',
        '  share: (not set) -> "client"',
        '',
      ].join('\n'),
    );
    expect(testbed.read(GLOBAL)).toContain('// the first\n  "a": { "command": "bun"');
    expect(testbed.read(GLOBAL)).toContain('// stays');
    expect((await listed(testbed))[0]).toMatchObject({ id: 'a', command: 'bun', args: ['x', '--port', '80'] });
  });

  test.each([
    ['an unknown key', ['a', 'comand=x'], 'There is no setting comand. Did you mean command?'],
    ['an unknown member', ['a', 'oauth.scop=x'], 'There is no setting oauth.scop. Did you mean oauth.scope?'],
    ['text for a number', ['a', 'startup_timeout_ms=soon'], 'startup_timeout_ms takes a number, not soon.'],
    ['text for a switch', ['a', 'pin=yes'], 'pin takes true or false, not yes.'],
    ['an addition to a text', ['a', 'command+=x'], 'command is not a list: write command=value.'],
    ['a map without a member', ['a', 'env=x'], 'env has members: write env.NAME=value'],
    ['no value', ['a', 'command'], 'command has no value: write command=value.'],
    ['an invalid value', ['a', 'start=later'], 'start must be'],
    ['an invalid way to share', ['a', 'share=all'], 'share must be one of "client", "folder", "user"'],
    ['an empty command', ['a', 'command='], 'command'],
    [
      'a setting of HTTP servers',
      ['a', 'url=https://x.example'],
      'url applies only to HTTP servers, and a is not one.',
    ],
    ['invalid JSON', ['a', 'args:=[1'], 'The value of args is not valid JSON.'],
    ['a setting twice', ['a', 'cwd=x', 'cwd=y'], 'cwd is given twice: give it once.'],
    ['an unknown server', ['aa', 'cwd=x'], 'There is no server aa. Did you mean a?'],
    ['a server of another program', ['c', 'cwd=x'], 'Other programs use that file too'],
    ['nothing', ['a'], '<key=value>… is missing.'],
  ])('with %s exits with 2 and writes nothing', async (_, args, message) => {
    const testbed = newTestbed();
    testbed.write(GLOBAL, ownConfig({ a: { command: 'node' } }));
    testbed.write(CODEX, { mcpServers: { c: { command: 'x' } } });
    const before = testbed.read(GLOBAL);
    const { status, stdout, stderr } = await testbed.mcp('set', ...args);
    expect([status, stdout, stderr]).toEqual([2, '', expect.stringContaining(message)]);
    expect(testbed.read(GLOBAL)).toBe(before);
  });

  test('shares the sign-in of an HTTP server, and of no other', async () => {
    const testbed = newTestbed();
    testbed.write(GLOBAL, ownConfig({ a: { url: 'https://one.example/mcp' }, b: { command: 'node' } }));
    expect(await testbed.mcp('set', 'a', 'shareSignIn=true')).toMatchObject({
      status: 0,
      stdout: expect.stringContaining('shareSignIn: (not set) -> true'),
    });
    expect(serversIn(testbed, GLOBAL)['a']).toEqual({ url: 'https://one.example/mcp', shareSignIn: true });
    for (const [id, setting] of [
      ['a', 'shareSignIn=yes'],
      ['b', 'shareSignIn=true'],
      ['a', 'share_signin=true'],
    ])
      expect(await testbed.mcp('set', id ?? '', setting ?? '')).toMatchObject({ status: 2, stdout: '' });
    await testbed.mcp('unset', 'a', 'shareSignIn');
    expect(serversIn(testbed, GLOBAL)['a']).toEqual({ url: 'https://one.example/mcp' });
  });

  test('warns about a secret on the command line, and reads one from stdin without a warning', async () => {
    const testbed = newTestbed();
    await testbed.mcp('add', 'a', '--', 'node');
    const shown = await testbed.mcp('set', 'a', 'env.API_TOKEN=s3cret-value');
    expect(shown.stderr).toContain('Warning: the value of env.API_TOKEN was on the command line');
    expect(shown.stderr).toContain('contains a secret and is in a project');
    expect(shown.stdout + shown.stderr).not.toContain('s3cret-value');
    const piped = await testbed.run(['mcp', 'set', 'a', 'env.API_TOKEN=-'], { stdin: 'from-stdin\n' });
    expect([piped.status, piped.stderr]).toEqual([0, expect.not.stringContaining('on the command line')]);
    expect(serversIn(testbed, PROJECT)).toMatchObject({ a: { env: { API_TOKEN: 'from-stdin' } } });
    const missing = await testbed.mcp('set', 'a', 'env.API_TOKEN');
    expect([missing.status, missing.stderr]).toEqual([2, expect.stringContaining('there is no terminal to prompt')]);
  });

  test('keeps the trust in a project entry that was trusted, and gives none to another', async () => {
    const testbed = newTestbed();
    await testbed.mcp('add', 'mine', '--', 'node');
    await testbed.mcp('set', 'mine', 'args+=x');
    const config = testbed.json(PROJECT) as { mcp: { servers: Record<string, unknown> } };
    testbed.write(PROJECT, { ...config, mcp: { servers: { ...config.mcp.servers, theirs: { command: 'x' } } } });
    const changed = await testbed.mcp('set', 'theirs', 'args+=y');
    expect(changed.stderr).toContain('the entry is untrusted and has no effect');
    expect((await listed(testbed)).map(({ id, state }) => [id, state])).toEqual([
      ['mine', 'on'],
      ['theirs', 'untrusted'],
    ]);
  });

  test('--dry-run and --json show the change, and --scope chooses the config', async () => {
    const testbed = newTestbed();
    testbed.write(GLOBAL, ownConfig({ a: { url: 'https://one.example/mcp' } }));
    await testbed.mcp('add', 'a', 'https://two.example/mcp');
    const before = testbed.read(GLOBAL);
    const args = ['set', 'a', 'url=https://three.example/mcp', '--scope', 'global'];
    const { status, stdout, stderr } = await testbed.mcp(...args, '--dry-run', '--json');
    expect([status, stderr, JSON.parse(stdout)]).toEqual([
      ...[0, ''],
      {
        ...{ v: 1, action: 'changed', id: 'a', scope: 'global', file: testbed.path(GLOBAL), isDryRun: true },
        changes: [{ key: 'url', before: 'https://one.example/mcp', after: 'https://three.example/mcp' }],
        warnings: [],
      },
    ]);
    expect(testbed.read(GLOBAL)).toBe(before);
    expect((await testbed.mcp(...args)).status).toBe(0);
    expect(serversIn(testbed, GLOBAL)).toEqual({ a: { url: 'https://three.example/mcp' } });
    expect((await testbed.mcp('set', 'a', 'url=https://two.example/mcp')).stdout).toContain('a is unchanged');
  });

  test('replaces another spelling of the same setting', async () => {
    const testbed = newTestbed();
    testbed.write(GLOBAL, ownConfig({ a: { command: 'x', disabled: true, timeout: 9, enabledTools: ['one'] } }));
    await testbed.mcp('set', 'a', 'enabled=true', 'request_timeout_ms=7', 'enabled_tools+=two');
    expect(serversIn(testbed, GLOBAL)).toEqual({
      a: { command: 'x', enabled: true, request_timeout_ms: 7, enabled_tools: ['one', 'two'] },
    });
  });
});

describe('switchboard mcp unset', () => {
  test('removes settings, and a map with its last member', async () => {
    const testbed = newTestbed();
    const entry = { command: 'x', cwd: '/', env: { A: '1', B: '2' }, oauth: { scope: 's' } };
    testbed.write(GLOBAL, ownConfig({ a: entry }));
    expect((await testbed.run(['unset', 'a', 'cwd', 'env.A'])).status).toBe(0);
    expect(serversIn(testbed, GLOBAL)).toEqual({ a: { command: 'x', env: { B: '2' }, oauth: { scope: 's' } } });
    expect((await testbed.mcp('unset', 'a', 'env.B', 'oauth')).status).toBe(0);
    expect(serversIn(testbed, GLOBAL)).toEqual({ a: { command: 'x' } });
  });

  test('refuses a missing setting, and one that the server needs', async () => {
    const testbed = newTestbed();
    testbed.write(GLOBAL, ownConfig({ a: { command: 'x' } }));
    expect(await testbed.mcp('unset', 'a', 'cwd')).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('a has no setting cwd.'),
    });
    expect(await testbed.mcp('unset', 'a', 'command')).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('needs "command"'),
    });
    expect(serversIn(testbed, GLOBAL)).toEqual({ a: { command: 'x' } });
  });
});

describe('switchboard mcp enable and disable with a tool', () => {
  test('edit the lists of tools, and clients see the difference', async () => {
    const testbed = newTestbed();
    testbed.write(GLOBAL, ownConfig({ one: fixture('well-behaved') }));
    const names = async () =>
      (await testbed.run(['tools'])).stdout.split('\n').flatMap((line) => /^one\.(\w+)/.exec(line)?.[1] ?? []);
    expect((await names()).toSorted()).toEqual(['add', 'echo', 'slow']);
    const { status, stdout, stderr } = await testbed.run(['disable', 'one.slow']);
    expect([status, stdout, stderr]).toEqual([
      ...[0, `one.slow is disabled in the global config, ${testbed.path(GLOBAL)}.\n`, ''],
    ]);
    expect((await names()).toSorted()).toEqual(['add', 'echo']);
    expect((await testbed.run(['disable', 'one.slow'])).stdout).toContain('one.slow is already disabled');
    expect((await testbed.run(['disable', 'one.ehco'])).stderr).toContain('Did you mean one.echo?');
    await testbed.run(['enable', 'one.ehco']);
    expect((await testbed.run(['enable', 'one.slow'])).status).toBe(0);
    expect(serversIn(testbed, GLOBAL)).toEqual({ one: fixture('well-behaved') });
  });

  test('respect enabled_tools and refuse to undo a pattern', async () => {
    const testbed = newTestbed();
    testbed.write(GLOBAL, ownConfig({ a: { command: 'x', enabled_tools: ['one'], disabled_tools: ['del_*'] } }));
    expect((await testbed.mcp('enable', 'a.two', '--dry-run')).stdout).toContain('Dry run, nothing was written.');
    await testbed.mcp('enable', 'a.two');
    expect(serversIn(testbed, GLOBAL)).toMatchObject({ a: { enabled_tools: ['one', 'two'] } });
    expect(await testbed.mcp('enable', 'a.del_all')).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('disabled_tools has the pattern "del_*", which also hides other tools'),
    });
    const { stdout } = await testbed.mcp('disable', 'a.one', '--json');
    expect(JSON.parse(stdout)).toMatchObject({ action: 'disabled', id: 'a', tool: 'one', scope: 'global' });
    expect(serversIn(testbed, GLOBAL)).toMatchObject({ a: { disabled_tools: ['del_*', 'one'] } });
  });
});

test('--dry-run of remove, enable and disable writes nothing', async () => {
  const testbed = newTestbed();
  testbed.write(GLOBAL, ownConfig({ g: { command: 'x' } }));
  await testbed.mcp('add', 'a', '--', 'node');
  const files = [GLOBAL, PROJECT, 'own/trust.json'];
  const before = files.map(testbed.read);
  for (const args of [
    ['remove', 'a'],
    ['disable', 'a'],
    ['disable', 'g'],
    ['disable', 'g', '--scope', 'project'],
  ]) {
    const { status, stdout } = await testbed.run([...args, '--dry-run']);
    expect([status, stdout]).toEqual([0, expect.stringContaining('Dry run, nothing was written.')]);
  }
  expect(files.map(testbed.read)).toEqual(before);
});
