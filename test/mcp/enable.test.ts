import { describe, expect, test } from 'vitest';
import { trackProcesses } from '../processes.ts';
import { verifies } from '../verifies.ts';
import { CODEX, GLOBAL, listed, ownConfig, PROJECT, serversIn, useWorlds, type World } from './world.ts';

const newWorld = useWorlds(trackProcesses());
const stateOf = async (world: World, id: string) =>
  (await listed(world)).find((server) => server['id'] === id)?.['state'];

describe('switchboard mcp remove', () => {
  verifies(
    ['host:cli:remove', 'host:cli:remove-leaves-global'],
    'removes the entry from one config, and the other one applies again',
    async () => {
      const world = newWorld();
      const global = world.write(GLOBAL, ownConfig({ a: { command: 'global' }, b: { command: 'b' } }));
      await world.mcp('add', 'a', '--', 'project');
      const { status, stdout, stderr } = await world.mcp('remove', 'a');
      expect({ status, stdout, stderr }).toEqual({
        status: 0,
        stdout: `a removed from the project config, ${world.path(PROJECT)}. The one in ${global}:5 takes effect now.\n`,
        stderr: '',
      });
      expect(serversIn(world, PROJECT)).toEqual({});
      expect(await listed(world)).toMatchObject([{ id: 'a', command: 'global', source: 'global' }, { id: 'b' }]);
      expect((world.json('own/trust.json') as { entries: unknown[] }).entries).toEqual([]);
      expect((await world.mcp('remove', 'a', '--scope', 'global')).status).toBe(0);
      expect(serversIn(world, GLOBAL)).toEqual({ b: { command: 'b' } });
    },
  );

  verifies(
    'host:cli:remove-unknown',
    'with an id that its config does not have exits with 2 and names its location',
    async () => {
      const world = newWorld();
      const global = world.write(GLOBAL, ownConfig({ mine: { command: 'x' } }));
      const codex = world.write(CODEX, { mcpServers: { fetch: { command: 'x' } } });
      const before = world.read(GLOBAL);
      const cases = [
        [
          ['mine'],
          `mine is not in the project config, but in ${global}:5. Run: switchboard mcp remove mine --scope global`,
        ],
        [['fetch'], `fetch is not in the project config, but in ${codex}:3. Other programs use that file too`],
        [['fetch', '--scope', 'global'], `fetch is not in the global config, but in ${codex}:3.`],
        [['fetsch'], 'There is no server fetsch. Did you mean fetch?'],
      ] as const;
      for (const [args, message] of cases)
        expect(await world.mcp('remove', ...args)).toMatchObject({
          ...{ status: 2, stdout: '' },
          stderr: expect.stringContaining(message),
        });
      expect(world.read(GLOBAL)).toBe(before);
      expect(world.exists('project/.switchboard')).toBe(false);
      expect((await newWorld().mcp('remove', 'a')).stderr).toContain(
        'None is configured. Run: switchboard mcp add a <url>',
      );
    },
  );
});

describe('switchboard mcp enable and disable', () => {
  verifies(
    ['host:cli:enable', 'host:cli:disable'],
    'change an entry of the project, or of the given config',
    async () => {
      const world = newWorld();
      await world.mcp('add', 'a', '--', 'x');
      await world.mcp('add', 'g', '--scope', 'global', '--', 'x');
      const file = world.path(PROJECT);
      expect((await world.mcp('disable', 'a')).stdout).toBe(`a is disabled in the project config, ${file}.\n`);
      expect(serversIn(world, PROJECT)).toEqual({ a: { transport: 'stdio', command: 'x', enabled: false } });
      expect(await stateOf(world, 'a')).toBe('off');
      expect((await world.mcp('disable', 'a')).stdout).toBe(`a is already disabled (${file}:5).\n`);
      expect((await world.mcp('enable', 'a')).stdout).toBe(`a is enabled in the project config, ${file}.\n`);
      expect(serversIn(world, PROJECT)).toEqual({ a: { transport: 'stdio', command: 'x', enabled: true } });
      expect(await stateOf(world, 'a')).toBe('on');
      expect((await world.mcp('enable', 'a')).stdout).toBe(`a is already enabled (${file}:5).\n`);
      expect((await world.mcp('disable', 'g', '--scope', 'global')).status).toBe(0);
      expect(serversIn(world, GLOBAL)).toMatchObject({ g: { enabled: false } });
      expect((await world.mcp('enable', 'g', '--scope', 'global')).status).toBe(0);
      expect(serversIn(world, GLOBAL)).toMatchObject({ g: { enabled: true } });
    },
  );

  test('also read the key "disabled"', async () => {
    const world = newWorld();
    world.write(GLOBAL, ownConfig({ a: { command: 'x', disabled: true, pin: true } }));
    expect((await world.mcp('disable', 'a', '--scope', 'global')).stdout).toContain('a is already disabled');
    await world.mcp('enable', 'a', '--scope', 'global');
    expect(serversIn(world, GLOBAL)).toEqual({ a: { command: 'x', pin: true, enabled: true } });
  });

  verifies('host:cli:enable-unknown', 'with an id that their config does not have exit with 2', async () => {
    const world = newWorld();
    const global = world.write(GLOBAL, ownConfig({ mine: { command: 'x' }, off: { command: 'x', enabled: false } }));
    const codex = world.write(CODEX, {
      mcpServers: { fetch: { command: 'x' }, idle: { command: 'x', disabled: true } },
    });
    const cases = [
      [['enable', 'nobody'], 'There is no server nobody.'],
      [['disable', 'nobody'], 'There is no server nobody.'],
      [['disable', 'fetsch'], 'Did you mean fetch?'],
      [['disable', 'mine', '--scope', 'project'], `mine is not in the project config, but in ${global}:5. Run: `],
      [['disable', 'fetch', '--scope', 'global'], `fetch is not in the global config, but in ${codex}:3.`],
      [
        ['enable', 'mine', '--scope', 'project'],
        `mine is not in the project config, but in ${global}:5. It is already enabled there.\n`,
      ],
      [['enable', 'off'], `Run: switchboard mcp enable off --scope global`],
      [['enable', 'idle'], `but in ${codex}:6. Other programs use that file too`],
      [['enable'], '<id> is missing.'],
    ] as const;
    for (const [args, message] of cases)
      expect(await world.mcp(...args)).toMatchObject({
        ...{ status: 2, stdout: '' },
        stderr: expect.stringContaining(message),
      });
    expect(world.exists('project/.switchboard')).toBe(false);
  });
});

describe('a server that is already in the requested state', () => {
  test('is no error wherever it is configured, and nothing is written', async () => {
    const world = newWorld();
    const global = world.write(GLOBAL, ownConfig({ on: { command: 'x' }, off: { command: 'x', enabled: false } }));
    const codex = world.write(CODEX, {
      mcpServers: { fetch: { command: 'x' }, idle: { command: 'x', disabled: true } },
    });
    const cases = [
      [['enable', 'on'], `on is already enabled (${global}:5).\n`],
      [['enable', 'fetch'], `fetch is already enabled (${codex}:3).\n`],
      [['disable', 'off'], `off is already disabled (${global}:8).\n`],
      [['disable', 'idle'], `idle is already disabled (${codex}:6).\n`],
    ] as const;
    for (const [args, stdout] of cases) expect(await world.mcp(...args)).toEqual({ status: 0, stdout, stderr: '' });
    const { status, stdout, stderr } = await world.mcp('enable', 'on', '--json');
    expect([status, JSON.parse(stdout), stderr]).toEqual([
      0,
      { v: 1, action: 'unchanged', id: 'on', scope: 'global', file: global, line: 5, state: 'on', warnings: [] },
      '',
    ]);
    expect(world.exists('project/.switchboard')).toBe(false);
  });

  test('but has no effect, is reported with the next step', async () => {
    const world = newWorld();
    const found = world.write('project/.mcp.json', { mcpServers: { shy: { command: 'x' } } });
    expect(await world.mcp('enable', 'shy')).toEqual({
      ...{ status: 2, stdout: '' },
      stderr: expect.stringContaining(
        `shy is already enabled in ${found}:3, but untrusted: run switchboard trust ${world.path('project')}`,
      ),
    });
  });
});

describe('a server of another file', () => {
  test('that the project disabled is listed as defined, with the file that disabled it', async () => {
    const world = newWorld();
    const program = { command: 'node', args: ['server.mjs', '--deep'] };
    const global = world.write(GLOBAL, ownConfig({ echo: program }));
    await world.mcp('disable', 'echo');
    const file = world.path(PROJECT);
    expect(await world.mcp('disable', 'echo')).toEqual({
      ...{ status: 0, stdout: `echo is already disabled (${file}:5).\n`, stderr: '' },
    });
    expect(await listed(world)).toEqual([
      {
        ...{ id: 'echo', transport: 'stdio', source: 'global', file: global, line: 5, enabled: false, state: 'off' },
        ...{ reason: null, ...program, switchedOffBy: { file, line: 5 }, auth: 'none' },
      },
    ]);
    expect((await world.mcp('list')).stdout.split('\n')[1]).toBe(
      'echo  stdio      global  no (by project)  node server.mjs --deep  none',
    );
    expect((await world.mcp('status')).stdout.split('\n')[1]).toBe(
      `echo  stdio      global  no       disabled  -      -      -    disabled by ${file}:5 → switchboard mcp enable echo`,
    );
    // With that file alone, this is all that is known.
    expect(await listed(world, '--scope', 'project')).toEqual([
      {
        ...{ id: 'echo', transport: null, source: 'project', file, line: 5, enabled: false, state: 'off' },
        ...{ reason: 'disabled, and no config that was read has its command or URL', auth: 'none' },
      },
    ]);
  });

  verifies(
    ['host:cli:disable', 'config:layers:project-disables'],
    'is disabled for the project by an entry without secrets, which enable removes',
    async () => {
      const world = newWorld();
      const secret = { url: 'https://me:geheim@x/mcp?key=geheim', headers: { Authorization: 'geheim' } };
      const program = { command: 'npx', args: ['--token', 'geheim'], env: { TOKEN: 'geheim' } };
      world.write(GLOBAL, ownConfig({ web: secret, plain: { url: 'https://x/mcp' } }));
      world.write(CODEX, { mcpServers: { program, varied: { url: `https://\${${'HOST'}}/mcp` } } });
      for (const id of ['web', 'plain', 'program', 'varied']) {
        const { status, stdout } = await world.mcp('disable', id);
        expect({ status, stdout }).toEqual({
          status: 0,
          stdout: expect.stringContaining('is disabled for this project'),
        });
        expect(await stateOf(world, id)).toBe('off');
      }
      const off = { enabled: false };
      expect(serversIn(world, PROJECT)).toEqual({ web: off, plain: off, program: off, varied: off });
      for (const id of ['web', 'plain', 'program', 'varied']) {
        expect((await world.mcp('enable', id)).stdout).toContain('is no longer disabled here');
        expect(await stateOf(world, id)).toBe('on');
      }
      expect(serversIn(world, PROJECT)).toEqual({});
      expect((world.json('own/trust.json') as { entries: unknown[] }).entries).toEqual([]);
    },
  );

  test('that is not trusted contributes nothing to the entry that disables it', async () => {
    const world = newWorld();
    world.write('project/.mcp.json', { mcpServers: { evil: { command: './evil.sh' } } });
    await world.mcp('disable', 'evil');
    expect(serversIn(world, PROJECT)).toEqual({ evil: { enabled: false } });
    expect(await stateOf(world, 'evil')).toBe('off');
    world.write(PROJECT, ownConfig({ evil: { enabled: true } }));
    expect(await stateOf(world, 'evil')).toBe('broken');
  });

  test('that is not trusted stays unused when it is enabled again, with a message', async () => {
    const world = newWorld();
    const found = world.write('project/.mcp.json', { mcpServers: { shy: { command: 'x' } } });
    await world.mcp('disable', 'shy');
    const trust = `run switchboard trust ${world.path('project')}`;
    expect(await world.mcp('enable', 'shy')).toEqual({
      status: 0,
      stdout: `shy is no longer disabled here: the entry in ${found}:3 remains.\n`,
      stderr: `Warning: the entry in ${found}:3 is untrusted and has no effect: to trust it, ${trust}\n`,
    });
    expect(await stateOf(world, 'shy')).toBe('untrusted');
  });

  test('that is disabled there too is named with the command that enables it', async () => {
    const world = newWorld();
    const global = world.write(GLOBAL, ownConfig({ a: { command: 'x' } }));
    await world.mcp('disable', 'a');
    world.write(GLOBAL, ownConfig({ a: { command: 'x', enabled: false } }));
    expect((await world.mcp('enable', 'a')).stderr).toBe(
      `Warning: it is also disabled in ${global}:5: run switchboard mcp enable a --scope global\n`,
    );
  });

  test('that was removed leaves nothing that could be enabled', async () => {
    const world = newWorld();
    world.write(GLOBAL, ownConfig({ a: { command: 'x', args: ['safe.mjs'] } }));
    await world.mcp('disable', 'a');
    world.write(GLOBAL, ownConfig({}));
    const reason = 'disabled, and no config that was read has its command or URL';
    const file = world.path(PROJECT);
    expect(await listed(world)).toMatchObject([{ id: 'a', transport: null, state: 'off', reason }]);
    expect((await world.mcp('list')).stdout.split('\n')[1]).toBe(
      'a   -          project  no (not defined)  -       none',
    );
    expect((await world.mcp('status')).stdout).toContain(reason);
    const before = world.read(PROJECT);
    expect(await world.mcp('enable', 'a')).toEqual({
      ...{ status: 2, stdout: '' },
      stderr: expect.stringMatching(
        /^a cannot be enabled: .*config\.json:5 has no command or URL for it\. To remove that entry, run: switchboard mcp remove a\n/,
      ),
    });
    expect(world.read(PROJECT)).toBe(before);
    expect((await world.mcp('disable', 'a')).stdout).toBe(`a is already disabled (${file}:5).\n`);
  });

  test('that was disabled together with its command, in the old format, is treated as only disabled', async () => {
    const world = newWorld();
    world.write(GLOBAL, ownConfig({ a: { command: 'x', args: ['y'] }, web: { url: 'https://u:p@x/mcp?k=1' } }));
    world.write(
      PROJECT,
      ownConfig({
        a: { transport: 'stdio', command: 'x', enabled: false },
        web: { transport: 'http', url: 'https://x/mcp', enabled: false },
      }),
    );
    await world.run(['trust', '--yes']);
    expect(await listed(world)).toMatchObject([
      { id: 'a', source: 'global', args: ['y'], state: 'off', switchedOffBy: { line: 5 } },
      { id: 'web', source: 'global', state: 'off', switchedOffBy: { line: 10 } },
    ]);
    for (const id of ['a', 'web'])
      expect((await world.mcp('enable', id)).stdout).toContain('is no longer disabled here');
    expect(serversIn(world, PROJECT)).toEqual({});
  });

  test('keeps what the user wrote beside the switch', async () => {
    const world = newWorld();
    world.write(GLOBAL, ownConfig({ a: { command: 'x' } }));
    world.write(PROJECT, ownConfig({ a: { enabled: false, comand: 'mine' } }));
    await world.run(['trust', '--yes']);
    const before = world.read(PROJECT);
    expect(await world.mcp('enable', 'a')).toMatchObject({
      ...{ status: 2, stdout: '' },
      stderr: expect.stringContaining('To remove that entry, run: switchboard mcp remove a\n'),
    });
    expect(world.read(PROJECT)).toBe(before);
  });

  test('whose name is invalid in our own config is not changed', async () => {
    const world = newWorld();
    const codex = world.write(CODEX, { mcpServers: { 'odd one': { command: 'x' } } });
    expect(await world.mcp('disable', 'odd one')).toMatchObject({
      ...{ status: 2, stdout: '' },
      stderr: expect.stringContaining(`Disable it in ${codex}:3.`),
    });
    expect(world.exists('project/.switchboard')).toBe(false);
  });

  test('does not remove a real entry of the project', async () => {
    const world = newWorld();
    const global = world.write(GLOBAL, ownConfig({ a: { url: 'https://x/mcp' } }));
    await world.mcp('add', 'a', 'https://other/mcp', '--enabled', 'false');
    const { stdout, stderr } = await world.mcp('enable', 'a');
    expect(stdout).toContain('a is enabled in the project config');
    expect(stderr).toContain(`it overrides the one in ${global}:5; to use that one, run switchboard mcp remove a`);
    expect(serversIn(world, PROJECT)).toMatchObject({ a: { url: 'https://other/mcp', enabled: true } });
  });

  test('and the untrusted entry of the project: disabling that has no effect, with a message', async () => {
    const world = newWorld();
    world.write(GLOBAL, ownConfig({ a: { command: 'global' } }));
    world.write(PROJECT, ownConfig({ a: { command: 'stranger' } }));
    const { stderr } = await world.mcp('disable', 'a');
    expect(stderr).toContain('the entry is untrusted and has no effect: to trust it, run switchboard trust');
    expect(await listed(world)).toMatchObject([{ id: 'a', command: 'global', state: 'on' }]);
  });

  test('is disabled by an untrusted entry that does nothing else, once the user asks for it', async () => {
    const world = newWorld();
    const global = world.write(GLOBAL, ownConfig({ a: { command: 'global' } }));
    const file = world.write(PROJECT, ownConfig({ a: { enabled: false } }));
    const before = world.read(PROJECT);
    expect(await stateOf(world, 'a')).toBe('on');
    expect(await world.mcp('disable', 'a')).toEqual({
      ...{ status: 0, stderr: '' },
      stdout: `a is disabled for this project by ${file}; the entry in ${global}:5 is unchanged.\n`,
    });
    expect([await stateOf(world, 'a'), world.read(PROJECT)]).toEqual(['off', before]);
    expect((await world.mcp('disable', 'a')).stdout).toBe(`a is already disabled (${file}:5).\n`);
  });

  test('is not reported with the state of an untrusted entry', async () => {
    const world = newWorld();
    const global = world.write(GLOBAL, ownConfig({ on: { command: 'x' }, off: { command: 'x', enabled: false } }));
    const file = world.write(
      PROJECT,
      ownConfig({ on: { command: 'stranger', enabled: false }, off: { command: 'stranger' } }),
    );
    const trust = `Run: switchboard trust ${world.path('project')}\n`;
    const cases = [
      [
        'disable',
        'on',
        `on is disabled in ${file}:5, but that entry is untrusted and has no effect: the one in ${global}:5`,
      ],
      [
        'enable',
        'off',
        `off is enabled in ${file}:9, but that entry is untrusted and has no effect: the one in ${global}:8`,
      ],
    ] as const;
    for (const [verb, id, message] of cases)
      expect(await world.mcp(verb, id)).toEqual({
        ...{ status: 2, stdout: '' },
        stderr: expect.stringContaining(`${message} takes precedence. ${trust}`),
      });
    world.write(GLOBAL, ownConfig({}));
    expect(await world.mcp('enable', 'off')).toEqual({
      ...{ status: 2, stdout: '' },
      stderr: expect.stringContaining(`that entry is untrusted and has no effect. ${trust}`),
    });
  });
});
