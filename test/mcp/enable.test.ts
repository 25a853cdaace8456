import { describe, expect, test } from 'vitest';
import { trackProcesses } from '../processes.ts';
import { verifies } from '../verifies.ts';
import { CODEX, GLOBAL, listed, ownConfig, PROJECT, serversIn, type Testbed, useTestbeds } from './testbed.ts';

const newTestbed = useTestbeds(trackProcesses());
const stateOf = async (testbed: Testbed, id: string) =>
  (await listed(testbed)).find((server) => server['id'] === id)?.['state'];

describe('switchboard mcp remove', () => {
  verifies(
    ['host:cli:remove', 'host:cli:remove-leaves-global'],
    'removes the entry from one config, and the other one applies again',
    async () => {
      const testbed = newTestbed();
      const global = testbed.write(GLOBAL, ownConfig({ a: { command: 'global' }, b: { command: 'b' } }));
      await testbed.mcp('add', 'a', '--', 'project');
      const { status, stdout, stderr } = await testbed.mcp('remove', 'a');
      expect({ status, stdout, stderr }).toEqual({
        status: 0,
        stdout: `a removed from the project config, ${testbed.path(PROJECT)}. The one in ${global}:5 takes effect now.\n`,
        stderr: '',
      });
      expect(testbed.exists('project/.switchboard')).toBe(false);
      expect(await listed(testbed)).toMatchObject([{ id: 'a', command: 'global', source: 'global' }, { id: 'b' }]);
      expect((testbed.json('own/trust.json') as { entries: unknown[] }).entries).toEqual([]);
      expect((await testbed.mcp('remove', 'a', '--scope', 'global')).status).toBe(0);
      expect(serversIn(testbed, GLOBAL)).toEqual({ b: { command: 'b' } });
    },
  );

  verifies(
    'host:cli:remove-unknown',
    'with an id that its config does not have exits with 2 and names its location',
    async () => {
      const testbed = newTestbed();
      const global = testbed.write(GLOBAL, ownConfig({ mine: { command: 'x' } }));
      const codex = testbed.write(CODEX, { mcpServers: { fetch: { command: 'x' } } });
      const before = testbed.read(GLOBAL);
      const cases = [
        [
          ['mine', '--scope', 'project'],
          `mine is not in the project config, but in ${global}:5. Run: switchboard mcp remove mine --scope global`,
        ],
        [['fetch'], `fetch is not in the project config, but in ${codex}:3. Other programs use that file too`],
        [['fetch', '--scope', 'global'], `fetch is not in the global config, but in ${codex}:3.`],
        [['fetsch'], 'There is no server fetsch. Did you mean fetch?'],
      ] as const;
      for (const [args, message] of cases)
        expect(await testbed.mcp('remove', ...args)).toMatchObject({
          ...{ status: 2, stdout: '' },
          stderr: expect.stringContaining(message),
        });
      expect(testbed.read(GLOBAL)).toBe(before);
      expect(testbed.exists('project/.switchboard')).toBe(false);
      expect((await newTestbed().mcp('remove', 'a')).stderr).toContain(
        'None is configured. Run: switchboard mcp add a <url>',
      );
    },
  );

  test('without --scope removes the entry from the config that has it', async () => {
    const testbed = newTestbed();
    const global = testbed.write(GLOBAL, ownConfig({ mine: { command: 'x' } }));
    expect((await testbed.mcp('remove', 'mine')).stdout).toBe(`mine removed from the global config, ${global}.\n`);
    expect(serversIn(testbed, GLOBAL)).toEqual({});
  });
});

describe('switchboard mcp enable and disable', () => {
  verifies(
    ['host:cli:enable', 'host:cli:disable'],
    'change an entry of the project, or of the given config',
    async () => {
      const testbed = newTestbed();
      await testbed.mcp('add', 'a', '--', 'x');
      await testbed.mcp('add', 'g', '--scope', 'global', '--', 'x');
      const file = testbed.path(PROJECT);
      expect((await testbed.mcp('disable', 'a')).stdout).toBe(`a is disabled in the project config, ${file}.\n`);
      expect(serversIn(testbed, PROJECT)).toEqual({ a: { transport: 'stdio', command: 'x', enabled: false } });
      expect(await stateOf(testbed, 'a')).toBe('off');
      expect((await testbed.mcp('disable', 'a')).stdout).toBe(`a is already disabled (${file}:5).\n`);
      expect((await testbed.mcp('enable', 'a')).stdout).toBe(`a is enabled in the project config, ${file}.\n`);
      expect(serversIn(testbed, PROJECT)).toEqual({ a: { transport: 'stdio', command: 'x', enabled: true } });
      expect(await stateOf(testbed, 'a')).toBe('on');
      expect((await testbed.mcp('enable', 'a')).stdout).toBe(`a is already enabled (${file}:5).\n`);
      expect((await testbed.mcp('disable', 'g', '--scope', 'global')).status).toBe(0);
      expect(serversIn(testbed, GLOBAL)).toMatchObject({ g: { enabled: false } });
      expect((await testbed.mcp('enable', 'g', '--scope', 'global')).status).toBe(0);
      expect(serversIn(testbed, GLOBAL)).toMatchObject({ g: { enabled: true } });
    },
  );

  verifies(['host:cli:enable', 'host:cli:disable'], 'change the config that defines the server', async () => {
    const testbed = newTestbed();
    const global = testbed.write(GLOBAL, ownConfig({ g: { command: 'x' } }));
    expect(await testbed.mcp('disable', 'g')).toEqual({
      ...{ status: 0, stdout: `g is disabled in the global config, ${global}, for all projects.\n`, stderr: '' },
    });
    expect(serversIn(testbed, GLOBAL)).toEqual({ g: { command: 'x', enabled: false } });
    expect((await testbed.mcp('enable', 'g')).stdout).toBe(`g is enabled in the global config, ${global}.\n`);
    expect(serversIn(testbed, GLOBAL)).toEqual({ g: { command: 'x', enabled: true } });
    expect(testbed.exists('project/.switchboard')).toBe(false);
    expect((await testbed.mcp('disable', 'g', '--scope', 'project')).stdout).toBe(
      `g is disabled for this project by ${testbed.path(PROJECT)}; the entry in ${global}:5 is unchanged.\n`,
    );
    expect(await stateOf(testbed, 'g')).toBe('off');
    expect((await testbed.mcp('enable', 'g')).stdout).toContain('g is no longer disabled here');
    expect([await stateOf(testbed, 'g'), testbed.exists('project/.switchboard')]).toEqual(['on', false]);
  });

  test('also read the key "disabled"', async () => {
    const testbed = newTestbed();
    testbed.write(GLOBAL, ownConfig({ a: { command: 'x', disabled: true, pin: true } }));
    expect((await testbed.mcp('disable', 'a', '--scope', 'global')).stdout).toContain('a is already disabled');
    await testbed.mcp('enable', 'a', '--scope', 'global');
    expect(serversIn(testbed, GLOBAL)).toEqual({ a: { command: 'x', pin: true, enabled: true } });
  });

  verifies('host:cli:enable-unknown', 'with an id that their config does not have exit with 2', async () => {
    const testbed = newTestbed();
    const global = testbed.write(GLOBAL, ownConfig({ mine: { command: 'x' }, off: { command: 'x', enabled: false } }));
    const codex = testbed.write(CODEX, {
      mcpServers: { fetch: { command: 'x' }, idle: { command: 'x', disabled: true } },
    });
    const cases = [
      [['enable', 'nobody'], 'There is no server nobody.'],
      [['disable', 'nobody'], 'There is no server nobody.'],
      [['disable', 'fetsch'], 'Did you mean fetch?'],
      [['disable', 'fetch', '--scope', 'global'], `fetch is not in the global config, but in ${codex}:3.`],
      [
        ['enable', 'mine', '--scope', 'project'],
        `mine is not in the project config, but in ${global}:5. It is already enabled there.\n`,
      ],
      [['enable', 'off', '--scope', 'project'], `Run: switchboard mcp enable off --scope global`],
      [['enable', 'idle'], `but in ${codex}:6. Other programs use that file too`],
      [['enable'], '<server>[.<tool>] is missing.'],
    ] as const;
    for (const [args, message] of cases)
      expect(await testbed.mcp(...args)).toMatchObject({
        ...{ status: 2, stdout: '' },
        stderr: expect.stringContaining(message),
      });
    expect(testbed.exists('project/.switchboard')).toBe(false);
  });
});

describe('a server that is already in the requested state', () => {
  test('is no error wherever it is configured, and nothing is written', async () => {
    const testbed = newTestbed();
    const global = testbed.write(GLOBAL, ownConfig({ on: { command: 'x' }, off: { command: 'x', enabled: false } }));
    const codex = testbed.write(CODEX, {
      mcpServers: { fetch: { command: 'x' }, idle: { command: 'x', disabled: true } },
    });
    const cases = [
      [['enable', 'on'], `on is already enabled (${global}:5).\n`],
      [['enable', 'fetch'], `fetch is already enabled (${codex}:3).\n`],
      [['disable', 'off'], `off is already disabled (${global}:8).\n`],
      [['disable', 'idle'], `idle is already disabled (${codex}:6).\n`],
    ] as const;
    for (const [args, stdout] of cases) expect(await testbed.mcp(...args)).toEqual({ status: 0, stdout, stderr: '' });
    const { status, stdout, stderr } = await testbed.mcp('enable', 'on', '--json');
    expect([status, JSON.parse(stdout), stderr]).toEqual([
      0,
      { v: 1, action: 'unchanged', id: 'on', scope: 'global', file: global, line: 5, state: 'on', warnings: [] },
      '',
    ]);
    expect(testbed.exists('project/.switchboard')).toBe(false);
  });

  test('but has no effect, is reported with the next step', async () => {
    const testbed = newTestbed();
    const found = testbed.write('project/.mcp.json', { mcpServers: { shy: { command: 'x' } } });
    expect(await testbed.mcp('enable', 'shy')).toEqual({
      ...{ status: 2, stdout: '' },
      stderr: expect.stringContaining(
        `shy is already enabled in ${found}:3, but untrusted: run switchboard trust ${testbed.path('project')}`,
      ),
    });
  });
});

describe('a server of another file', () => {
  test('that the project disabled is listed as defined, with the file that disabled it', async () => {
    const testbed = newTestbed();
    const program = { command: 'node', args: ['server.mjs', '--deep'] };
    const global = testbed.write(GLOBAL, ownConfig({ echo: program }));
    await testbed.mcp('disable', 'echo', '--scope', 'project');
    const file = testbed.path(PROJECT);
    expect(await testbed.mcp('disable', 'echo')).toEqual({
      ...{ status: 0, stdout: `echo is already disabled (${file}:5).\n`, stderr: '' },
    });
    expect(await listed(testbed)).toEqual([
      {
        ...{ id: 'echo', transport: 'stdio', source: 'global', file: global, line: 5, enabled: false, state: 'off' },
        ...{ reason: null, ...program, switchedOffBy: { file, line: 5 }, auth: 'none' },
      },
    ]);
    expect((await testbed.mcp('list')).stdout.split('\n')[1]).toBe(
      'echo  stdio      global  no (by project)  node server.mjs --deep  none',
    );
    expect((await testbed.mcp('status')).stdout.split('\n')[1]).toBe(
      `echo  stdio      global  no       disabled  -      -      -    disabled by ${file}:5 → switchboard mcp enable echo`,
    );
    // With that file alone, this is all that is known.
    expect(await listed(testbed, '--scope', 'project')).toEqual([
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
      const testbed = newTestbed();
      const secret = { url: 'https://me:geheim@x/mcp?key=geheim', headers: { Authorization: 'geheim' } };
      const program = { command: 'npx', args: ['--token', 'geheim'], env: { TOKEN: 'geheim' } };
      testbed.write(GLOBAL, ownConfig({ web: secret, plain: { url: 'https://x/mcp' } }));
      testbed.write(CODEX, { mcpServers: { program, varied: { url: `https://\${${'HOST'}}/mcp` } } });
      for (const id of ['web', 'plain', 'program', 'varied']) {
        const { status, stdout } = await testbed.mcp('disable', id, '--scope', 'project');
        expect({ status, stdout }).toEqual({
          status: 0,
          stdout: expect.stringContaining('is disabled for this project'),
        });
        expect(await stateOf(testbed, id)).toBe('off');
      }
      const off = { enabled: false };
      expect(serversIn(testbed, PROJECT)).toEqual({ web: off, plain: off, program: off, varied: off });
      for (const id of ['web', 'plain', 'program', 'varied']) {
        expect((await testbed.mcp('enable', id)).stdout).toContain('is no longer disabled here');
        expect(await stateOf(testbed, id)).toBe('on');
      }
      expect(testbed.exists('project/.switchboard')).toBe(false);
      expect((testbed.json('own/trust.json') as { entries: unknown[] }).entries).toEqual([]);
    },
  );

  test('that is not trusted contributes nothing to the entry that disables it', async () => {
    const testbed = newTestbed();
    testbed.write('project/.mcp.json', { mcpServers: { evil: { command: './evil.sh' } } });
    await testbed.mcp('disable', 'evil');
    expect(serversIn(testbed, PROJECT)).toEqual({ evil: { enabled: false } });
    expect(await stateOf(testbed, 'evil')).toBe('off');
    testbed.write(PROJECT, ownConfig({ evil: { enabled: true } }));
    expect(await stateOf(testbed, 'evil')).toBe('broken');
  });

  test('that is not trusted stays unused when it is enabled again, with a message', async () => {
    const testbed = newTestbed();
    const found = testbed.write('project/.mcp.json', { mcpServers: { shy: { command: 'x' } } });
    await testbed.mcp('disable', 'shy');
    const trust = `run switchboard trust ${testbed.path('project')}`;
    expect(await testbed.mcp('enable', 'shy')).toEqual({
      status: 0,
      stdout: `shy is no longer disabled here: the entry in ${found}:3 remains.\n`,
      stderr: `Warning: the entry in ${found}:3 is untrusted and has no effect: to trust it, ${trust}\n`,
    });
    expect(await stateOf(testbed, 'shy')).toBe('untrusted');
  });

  test('that is disabled there too is named with the command that enables it', async () => {
    const testbed = newTestbed();
    const global = testbed.write(GLOBAL, ownConfig({ a: { command: 'x' } }));
    await testbed.mcp('disable', 'a', '--scope', 'project');
    testbed.write(GLOBAL, ownConfig({ a: { command: 'x', enabled: false } }));
    expect((await testbed.mcp('enable', 'a')).stderr).toBe(
      `Warning: it is also disabled in ${global}:5: run switchboard mcp enable a --scope global\n`,
    );
  });

  test('that was removed leaves nothing that could be enabled', async () => {
    const testbed = newTestbed();
    testbed.write(GLOBAL, ownConfig({ a: { command: 'x', args: ['safe.mjs'] } }));
    await testbed.mcp('disable', 'a', '--scope', 'project');
    testbed.write(GLOBAL, ownConfig({}));
    const reason = 'disabled, and no config that was read has its command or URL';
    const file = testbed.path(PROJECT);
    expect(await listed(testbed)).toMatchObject([{ id: 'a', transport: null, state: 'off', reason }]);
    expect((await testbed.mcp('list')).stdout.split('\n')[1]).toBe(
      'a   -          project  no (not defined)  -       none',
    );
    expect((await testbed.mcp('status')).stdout).toContain(reason);
    const before = testbed.read(PROJECT);
    expect(await testbed.mcp('enable', 'a')).toEqual({
      ...{ status: 2, stdout: '' },
      stderr: expect.stringMatching(
        /^a cannot be enabled: .*config\.json:5 has no command or URL for it\. To remove that entry, run: switchboard mcp remove a\n/,
      ),
    });
    expect(testbed.read(PROJECT)).toBe(before);
    expect((await testbed.mcp('disable', 'a')).stdout).toBe(`a is already disabled (${file}:5).\n`);
  });

  test('that was disabled together with its command, in the old format, is treated as only disabled', async () => {
    const testbed = newTestbed();
    testbed.write(GLOBAL, ownConfig({ a: { command: 'x', args: ['y'] }, web: { url: 'https://u:p@x/mcp?k=1' } }));
    testbed.write(
      PROJECT,
      ownConfig({
        a: { transport: 'stdio', command: 'x', enabled: false },
        web: { transport: 'http', url: 'https://x/mcp', enabled: false },
      }),
    );
    await testbed.run(['trust', '--yes']);
    expect(await listed(testbed)).toMatchObject([
      { id: 'a', source: 'global', args: ['y'], state: 'off', switchedOffBy: { line: 5 } },
      { id: 'web', source: 'global', state: 'off', switchedOffBy: { line: 10 } },
    ]);
    for (const id of ['a', 'web'])
      expect((await testbed.mcp('enable', id)).stdout).toContain('is no longer disabled here');
    expect(testbed.exists('project/.switchboard')).toBe(false);
  });

  test('keeps what the user wrote beside the switch', async () => {
    const testbed = newTestbed();
    testbed.write(GLOBAL, ownConfig({ a: { command: 'x' } }));
    testbed.write(PROJECT, ownConfig({ a: { enabled: false, comand: 'mine' } }));
    await testbed.run(['trust', '--yes']);
    const before = testbed.read(PROJECT);
    expect(await testbed.mcp('enable', 'a')).toMatchObject({
      ...{ status: 2, stdout: '' },
      stderr: expect.stringContaining('To remove that entry, run: switchboard mcp remove a\n'),
    });
    expect(testbed.read(PROJECT)).toBe(before);
  });

  test('whose name is invalid in our own config is not changed', async () => {
    const testbed = newTestbed();
    const codex = testbed.write(CODEX, { mcpServers: { 'odd one': { command: 'x' } } });
    expect(await testbed.mcp('disable', 'odd one')).toMatchObject({
      ...{ status: 2, stdout: '' },
      stderr: expect.stringContaining(`Disable it in ${codex}:3.`),
    });
    expect(testbed.exists('project/.switchboard')).toBe(false);
  });

  test('does not remove a real entry of the project', async () => {
    const testbed = newTestbed();
    const global = testbed.write(GLOBAL, ownConfig({ a: { url: 'https://x/mcp' } }));
    await testbed.mcp('add', 'a', 'https://other/mcp', '--enabled', 'false');
    const { stdout, stderr } = await testbed.mcp('enable', 'a');
    expect(stdout).toContain('a is enabled in the project config');
    expect(stderr).toContain(`it overrides the one in ${global}:5; to use that one, run switchboard mcp remove a`);
    expect(serversIn(testbed, PROJECT)).toMatchObject({ a: { url: 'https://other/mcp', enabled: true } });
  });

  test('and the untrusted entry of the project: disabling that has no effect, with a message', async () => {
    const testbed = newTestbed();
    testbed.write(GLOBAL, ownConfig({ a: { command: 'global' } }));
    testbed.write(PROJECT, ownConfig({ a: { command: 'stranger' } }));
    const { stderr } = await testbed.mcp('disable', 'a');
    expect(stderr).toContain('the entry is untrusted and has no effect: to trust it, run switchboard trust');
    expect(await listed(testbed)).toMatchObject([{ id: 'a', command: 'global', state: 'on' }]);
  });

  test('is disabled by an untrusted entry that does nothing else, once the user asks for it', async () => {
    const testbed = newTestbed();
    const global = testbed.write(GLOBAL, ownConfig({ a: { command: 'global' } }));
    const file = testbed.write(PROJECT, ownConfig({ a: { enabled: false } }));
    const before = testbed.read(PROJECT);
    expect(await stateOf(testbed, 'a')).toBe('on');
    expect(await testbed.mcp('disable', 'a')).toEqual({
      ...{ status: 0, stderr: '' },
      stdout: `a is disabled for this project by ${file}; the entry in ${global}:5 is unchanged.\n`,
    });
    expect([await stateOf(testbed, 'a'), testbed.read(PROJECT)]).toEqual(['off', before]);
    expect((await testbed.mcp('disable', 'a')).stdout).toBe(`a is already disabled (${file}:5).\n`);
  });

  test('is not reported with the state of an untrusted entry', async () => {
    const testbed = newTestbed();
    const global = testbed.write(GLOBAL, ownConfig({ on: { command: 'x' }, off: { command: 'x', enabled: false } }));
    const file = testbed.write(
      PROJECT,
      ownConfig({ on: { command: 'stranger', enabled: false }, off: { command: 'stranger' } }),
    );
    const trust = `Run: switchboard trust ${testbed.path('project')}\n`;
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
      expect(await testbed.mcp(verb, id)).toEqual({
        ...{ status: 2, stdout: '' },
        stderr: expect.stringContaining(`${message} takes precedence. ${trust}`),
      });
    testbed.write(GLOBAL, ownConfig({}));
    expect(await testbed.mcp('enable', 'off')).toEqual({
      ...{ status: 2, stdout: '' },
      stderr: expect.stringContaining(`that entry is untrusted and has no effect. ${trust}`),
    });
  });
});
