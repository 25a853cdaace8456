import { chmodSync, mkdirSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readFileSignature } from '../../src/base/files/file-signature.ts';
import { type LoadOptions, loadConfig } from '../../src/config/load-config.ts';
import { resolveStdio } from '../../src/config/resolve/resolve-stdio.ts';
import type { LoadedConfig } from '../../src/config/server-entry.ts';
import { verifies } from '../verifies.ts';
import { type Folder, useFolders } from './folder.ts';

const newFolder = useFolders();
const TRUST = { SWITCHBOARD_TRUST_PROJECT: '1' };
const GLOBAL = 'home/.config/switchboard/config.json';
const CODEX = 'home/.codex/.mcp.json';

const foreign = (...names: string[]) => ({
  mcpServers: Object.fromEntries(names.map((name) => [name, { command: `run-${name}` }])),
});
const own = (servers: Record<string, unknown>) => ({ version: 1, mcp: { servers } });

describe('the files that are read', () => {
  verifies(
    ['config:source:walk-up', 'config:source:nearest-wins', 'config:layers:merge'],
    'all layers, from highest to lowest',
    async () => {
      const folder = newFolder();
      folder.write('project/.switchboard/config.json', own({ a: { command: 'project' } }));
      folder.write('project/.mcp.json', foreign('a', 'b'));
      folder.write('.mcp.json', foreign('a', 'b', 'c'));
      folder.write(GLOBAL, own({ a: { command: 'global' }, c: { command: 'global' }, d: { command: 'global' } }));
      folder.write(CODEX, foreign('a', 'b', 'c', 'd', 'e'));
      expect(summary(await loadConfig(folder.testEnvironment(TRUST)), folder.path)).toEqual([
        'a project project/.switchboard/config.json:5 runs project',
        'b mcp-json project/.mcp.json:6 runs run-b',
        'c mcp-json .mcp.json:9 runs run-c',
        'd global home/.config/switchboard/config.json:11 runs global',
        'e codex home/.codex/.mcp.json:15 runs run-e',
      ]);
    },
  );

  test('no files at all is a config without servers', async () => {
    const folder = newFolder();
    expect(await loadConfig(folder.testEnvironment())).toEqual({
      servers: [],
      problems: [],
      files: absentFiles(folder),
    });
  });

  test('the state of each file is reported, including absent files', async () => {
    const folder = newFolder();
    folder.write('project/.switchboard/config.json', own({ a: { command: 1 } }));
    folder.write('project/.mcp.json', 'rubbish');
    mkdirSync(join(folder.path, '.mcp.json'));
    folder.write(GLOBAL, own({}));
    const states = new Map<string, string>([
      ['project/.switchboard/config.json', 'usable'],
      ['project/.mcp.json', 'broken'],
      ['.mcp.json', 'broken'],
      [GLOBAL, 'usable'],
    ]);
    const expected = absentFiles(folder).map((found) => ({
      ...found,
      state: states.get(found.file.replace(`${folder.path}/`, '')) ?? 'absent',
      signature: readFileSignature(found.file),
    }));
    expect((await loadConfig(folder.testEnvironment())).files).toEqual(expected);
    const only = await loadConfig({ ...folder.testEnvironment(TRUST), only: ['a'] });
    expect(only.files).toEqual(expected);
  });

  test('a named file that does not exist is absent, and a file with two names is usable under both', async () => {
    const folder = newFolder();
    const file = folder.write('project/.mcp.json', foreign('a'));
    const env = { SWITCHBOARD_CONFIG_PATH: '/nowhere/x.json', CODEX_HOME: join(folder.path, 'project') };
    const { files } = await loadConfig(folder.testEnvironment(env));
    expect(files.filter(({ state }) => state === 'usable')).toEqual([
      { file, layer: 'mcp-json', state: 'usable', signature: readFileSignature(file) },
      { file, layer: 'codex', state: 'usable', signature: readFileSignature(file) },
    ]);
    expect(files.filter(({ layer }) => layer === 'global')).toEqual([
      { file: '/nowhere/x.json', layer: 'global', state: 'absent', signature: 'absent' },
    ]);
    const explicit = await loadConfig({ ...folder.testEnvironment(), explicitFiles: [file] });
    expect(explicit.files).toEqual([{ file, layer: 'explicit', state: 'usable', signature: readFileSignature(file) }]);
  });

  verifies(
    'config:layers:project-path',
    'project configs are found from the working folder upward, nearest first, before every .mcp.json',
    async () => {
      const folder = newFolder();
      folder.write('.switchboard/config.json', own({ above: { command: 'x' }, both: { command: 'far' } }));
      folder.write('project/.switchboard/config.json', own({ here: { command: 'x' }, both: { command: 'near' } }));
      folder.write('project/.mcp.json', foreign('above', 'both'));
      mkdirSync(join(folder.path, 'project/deep/down'), { recursive: true });
      expect(summary(await loadConfig(folder.testEnvironment(TRUST, 'project/deep/down')), folder.path)).toEqual([
        'here project project/.switchboard/config.json:5 runs x',
        'both project project/.switchboard/config.json:8 runs near',
        'above project .switchboard/config.json:5 runs x',
      ]);
    },
  );

  verifies(
    'config:layers:global-path',
    'the global config is in its platform location, or where a variable points',
    async () => {
      const folder = newFolder();
      const places: [string, Partial<LoadOptions>][] = [
        ['home/.config/switchboard/config.json', {}],
        ['xdg/switchboard/config.json', { env: { XDG_CONFIG_HOME: join(folder.path, 'xdg') } }],
        ['home/.config/switchboard/config.json', { env: { XDG_CONFIG_HOME: 'relative' } }],
        ['home/Library/Application Support/switchboard/config.json', { platform: 'darwin' }],
        ['one/config.json', { env: { SWITCHBOARD_HOME: join(folder.path, 'one') } }],
        ['home/one/config.json', { env: { SWITCHBOARD_HOME: '~/one' } }],
        ['any.json', { env: { SWITCHBOARD_CONFIG_PATH: join(folder.path, 'any.json') } }],
        ['project/any.json', { env: { SWITCHBOARD_CONFIG_PATH: 'any.json', SWITCHBOARD_HOME: '/nowhere' } }],
      ];
      for (const [name, options] of places) {
        const file = folder.write(name, own({ [name.replaceAll(/\W/g, '-')]: { command: 'x' } }));
        const { servers } = await loadConfig({ ...folder.testEnvironment(), ...options });
        expect(servers).toMatchObject([{ id: name.replaceAll(/\W/g, '-'), origin: { layer: 'global', file } }]);
      }
    },
  );

  test('the Codex folder is CODEX_HOME if it is set', async () => {
    const folder = newFolder();
    folder.write(CODEX, foreign('usual'));
    folder.write('home/other/.mcp.json', foreign('other'));
    expect(ids(await loadConfig(folder.testEnvironment({ CODEX_HOME: '' })))).toEqual(['usual']);
    expect(ids(await loadConfig(folder.testEnvironment({ CODEX_HOME: '~/other' })))).toEqual(['other']);
  });

  test('a file found in two ways is read once, as the one that needs no trust', async () => {
    const folder = newFolder();
    folder.write(CODEX, foreign('a'));
    mkdirSync(join(folder.path, 'home/.codex/sub'));
    symlinkSync(join(folder.path, CODEX), join(folder.path, 'home/.codex/sub/.mcp.json'));
    for (const cwd of ['home/.codex', 'home/.codex/sub']) {
      const { servers, problems } = await loadConfig(folder.testEnvironment({}, cwd));
      expect(servers).toMatchObject([{ id: 'a', origin: { layer: 'codex' }, verdict: { kind: 'usable' } }]);
      expect(problems).toEqual([]);
    }
  });

  verifies('config:source:explicit', 'an explicitly named file is the only one, and needs no trust', async () => {
    const folder = newFolder();
    folder.write('project/.mcp.json', foreign('project'));
    folder.write(CODEX, foreign('codex'));
    const file = folder.write('project/named.json', foreign('named'));
    const second = folder.write('home/second.json', own({ second: { command: 'x' } }));
    const load = async (env: LoadOptions['env'], ...explicitFiles: readonly string[]) =>
      (await loadConfig({ ...folder.testEnvironment(env), explicitFiles })).servers;
    const named = [{ id: 'named', origin: { layer: 'explicit', file }, verdict: { kind: 'usable' } }];
    expect(await load({ CODEX_MCP_WRAPPER_CONFIG: file })).toMatchObject(named);
    expect(await load({}, 'named.json')).toMatchObject(named);
    expect(await load({ CODEX_MCP_WRAPPER_CONFIG: file }, '~/second.json')).toMatchObject([
      { id: 'second', origin: { layer: 'explicit', file: second } },
    ]);
  });

  test.each([
    ['does not exist', 'gone.json', ': This file, named by --config, does not exist.'],
    ['is a folder', 'project', ': This is a folder, but a file is expected.'],
    ['is not JSON', 'broken.json', ':2: Not JSON at column 1: expected a key in double quotes, or }.'],
    ['has no servers', 'other.json', ':1: No servers found: expected '],
    ['has a newer version', 'newer.json', ':2: This is version 7, but this Switchboard supports only 1'],
  ])('an explicitly named file that %s is a fatal error', async (_, name, message) => {
    const folder = newFolder();
    folder.write('broken.json', '{\nx');
    folder.write('other.json', { hello: 1 });
    folder.write('newer.json', { version: 7, mcp: {} });
    const file = join(folder.path, name);
    await expect(loadConfig({ ...folder.testEnvironment(), explicitFiles: [file] })).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      message: expect.stringContaining(`${file}${message}`),
    });
  });

  test('the error names the variable if the file it names does not exist', async () => {
    const env = { CODEX_MCP_WRAPPER_CONFIG: '/nowhere/x.json' };
    const message = '/nowhere/x.json: This file, named by CODEX_MCP_WRAPPER_CONFIG, does not exist.';
    await expect(loadConfig(newFolder().testEnvironment(env))).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      message,
    });
    const { problems } = await loadConfig(newFolder().testEnvironment({ SWITCHBOARD_CONFIG_PATH: '/nowhere/x.json' }));
    expect(problems).toEqual([
      { file: '/nowhere/x.json', line: 0, message: 'This file, named by SWITCHBOARD_CONFIG_PATH, does not exist.' },
    ]);
  });
});

describe('an unusable file does not affect the others', () => {
  test('broken, a folder, too large or unreadable', async () => {
    const folder = newFolder();
    const broken = folder.write('project/.mcp.json', '{ "mcpServers": {\n  "a": {}\n  "b": {} } }');
    mkdirSync(join(folder.path, '.mcp.json'));
    const large = folder.write(GLOBAL, ' '.repeat(1024 * 1024 + 1));
    folder.write(CODEX, foreign('good'));
    const { servers, problems } = await loadConfig(folder.testEnvironment());
    expect(servers).toMatchObject([{ id: 'good', verdict: { kind: 'usable' } }]);
    expect(problems).toEqual([
      { file: broken, line: 3, message: 'Not JSON at column 3: a comma or } is missing before this.' },
      { file: join(folder.path, '.mcp.json'), line: 0, message: 'This is a folder, but a file is expected.' },
      { file: large, line: 0, message: 'The file is larger than 1024 KiB.' },
    ]);
  });

  // The superuser can read everything.
  test.skipIf(process.getuid?.() === 0)('without permission', async () => {
    const folder = newFolder();
    const file = folder.write(CODEX, foreign('a'));
    chmodSync(file, 0);
    expect(await loadConfig(folder.testEnvironment())).toEqual({
      servers: [],
      problems: [{ file, line: 0, message: 'The file cannot be read: permission denied.' }],
      files: absentFiles(folder).map((found) =>
        found.file === file ? { ...found, state: 'broken', signature: readFileSignature(file) } : found,
      ),
    });
  });

  test('a symlink loop', async () => {
    const folder = newFolder();
    const file = join(folder.path, 'project/.mcp.json');
    symlinkSync(file, file);
    expect((await loadConfig(folder.testEnvironment())).problems).toEqual([
      { file, line: 0, message: 'The file cannot be read: its symbolic links form a loop.' },
    ]);
  });
});

describe('the verdict on an entry', () => {
  const verdicts = async (servers: Record<string, unknown>) => {
    const folder = newFolder();
    folder.write(CODEX, { mcpServers: servers });
    const loaded = await loadConfig(folder.testEnvironment());
    return Object.fromEntries(loaded.servers.map(({ id, verdict }) => [id, verdict]));
  };

  verifies('config:own:invalid-entry', 'an invalid one is an error of its own server, with its location', async () => {
    const folder = newFolder();
    const file = folder.write(GLOBAL, own({ bad: { command: 'x', args: [1] }, good: { command: 'x' } }));
    expect((await loadConfig(folder.testEnvironment())).servers).toMatchObject([
      {
        id: 'bad',
        verdict: { kind: 'error', reason: `${file}:8: mcp.servers.bad.args[0] must be a string, but is a number.` },
      },
      { id: 'good', verdict: { kind: 'usable' } },
    ]);
  });

  test('a key that is likely a typo is reported, and the rest of the entry works', async () => {
    const folder = newFolder();
    const file = folder.write(GLOBAL, own({ a: { command: 'x', arg: ['y'], alwaysAllow: ['z'] } }));
    const { servers, problems } = await loadConfig(folder.testEnvironment());
    expect(servers).toMatchObject([{ id: 'a', verdict: { kind: 'usable' } }]);
    expect(problems).toEqual([
      { file, line: 7, message: 'mcp.servers.a.arg is not known and has no effect: did you mean "args"?' },
    ]);
  });

  test('a disabled entry is disabled', async () => {
    expect(await verdicts({ a: { command: 'x', disabled: true } })).toEqual({
      a: { kind: 'disabled', reason: 'disabled in its file', isUntrusted: false, transport: 'stdio' },
    });
  });

  test('an entry with a URL is as usable as one with a command', async () => {
    expect(await verdicts({ a: { url: 'https://example.com/mcp' } })).toMatchObject({
      a: { kind: 'usable', entry: { transport: { kind: 'http', url: 'https://example.com/mcp' } } },
    });
  });

  test('our own gateway is disabled, but our other servers are not', async () => {
    const self = {
      kind: 'disabled',
      reason: "this is Switchboard's own gateway, which would start itself",
      isUntrusted: false,
    };
    const found = await verdicts({
      a: { command: 'switchboard', args: ['gateway'] },
      b: { command: 'npx', args: ['-y', 'switchboard'] },
      c: { command: 'switchboard', args: ['--', 'uvx', 'x'] },
      d: { command: 'switchboard', args: ['codex'] },
    });
    expect(found).toMatchObject({ a: self, b: self, c: { kind: 'usable' }, d: { kind: 'usable' } });
  });

  verifies('config:layers:project-wins', 'a project entry replaces the whole global entry', async () => {
    const folder = newFolder();
    folder.write('project/.switchboard/config.json', own({ a: { command: 'mine' } }));
    folder.write(GLOBAL, own({ a: { command: 'global', args: ['x'], env: { KEY: 'v' }, request_timeout_ms: 5 } }));
    const { servers } = await loadConfig(folder.testEnvironment(TRUST));
    expect(servers).toMatchObject([
      { verdict: { entry: { requestTimeoutMs: undefined, transport: { command: 'mine', args: [], env: {} } } } },
    ]);
    expect(servers).toHaveLength(1);
  });

  verifies('config:layers:project-disables', 'a trusted project entry disables a global server', async () => {
    const folder = newFolder();
    folder.write('project/.switchboard/config.json', own({ a: { enabled: false } }));
    folder.write(GLOBAL, own({ a: { command: 'global' } }));
    const { servers } = await loadConfig(folder.testEnvironment(TRUST));
    expect(servers).toMatchObject([{ id: 'a', origin: { layer: 'project' }, verdict: { kind: 'disabled' } }]);
  });
});

describe('the settings that a server starts with', () => {
  const load = async (file: string, content: object, env: Record<string, string>) => {
    const folder = newFolder();
    const path = folder.write(file, content);
    const [server] = (await loadConfig(folder.testEnvironment())).servers;
    if (server?.verdict.kind !== 'usable') throw new Error('the server is not usable');
    const { entry } = server.verdict;
    return {
      path,
      resolve: () => resolveStdio(entry, env, { cwd: folder.path, home: folder.home, platform: 'linux' }),
    };
  };
  const ref = (inner: string) => `\${${inner}}`;

  verifies('config:dialect:expand', 'variables are expanded on connect', async () => {
    const env: Record<string, string> = {};
    const a = { command: 'x', args: [ref('WORD'), ref('NONE:-other')], env: { KEY: ref('WORD') } };
    const { resolve } = await load(CODEX, { mcpServers: { a } }, env);
    env['WORD'] = 'set later';
    expect(resolve()).toMatchObject({ args: ['set later', 'other'], env: { KEY: 'set later' } });
  });

  verifies('config:dialect:expand-missing', 'an unset variable is reported by name', async () => {
    const { path, resolve } = await load(CODEX, { mcpServers: { a: { command: 'x', args: [ref('WORD')] } } }, {});
    expect(resolve).toThrow(
      expect.objectContaining({
        code: 'CONFIG_INVALID',
        message: `a needs WORD, which is not set (${path}:3). Run: switchboard secret set WORD`,
        data: { server: 'a', file: path, line: 3, variable: 'WORD' },
      }),
    );
  });

  test('variables in our own config are not expanded', async () => {
    const { resolve } = await load(GLOBAL, own({ a: { command: 'x', args: [ref('HOME')] } }), { HOME: '/h' });
    expect(resolve().args).toEqual([ref('HOME')]);
  });

  verifies('config:own:environment', 'the allowed, named and own variables; all others only on request', async () => {
    const env = { PATH: '/bin', SECRET: 's', TOKEN: 't' };
    const a = { command: 'x', env: { MINE: 'm' }, env_vars: ['TOKEN'] };
    expect((await load(GLOBAL, own({ a }), env)).resolve().env).toEqual({ PATH: '/bin', TOKEN: 't', MINE: 'm' });
    const all = { ...a, inherit_env: true };
    expect((await load(GLOBAL, own({ a: all }), env)).resolve().env).toEqual({ ...env, MINE: 'm' });
  });
});

describe('without trust', () => {
  const untrusted = (dir: string) => ({
    kind: 'disabled',
    reason: `untrusted: run switchboard trust ${dir}`,
    isUntrusted: true,
  });

  verifies(
    'config:layers:untrusted',
    'an entry does not start, replace or disable a server, and is listed or reported',
    async () => {
      const folder = newFolder();
      const project = join(folder.path, 'project');
      const config = folder.write(
        'project/.switchboard/config.json',
        own({ a: { command: 'evil' }, b: { enabled: false } }),
      );
      const mcpJson = folder.write('project/.mcp.json', foreign('c'));
      const global = folder.write(GLOBAL, own({ a: { command: 'good' }, b: { command: 'good' } }));
      const { servers, problems } = await loadConfig(folder.testEnvironment());
      expect(servers).toMatchObject([
        { id: 'c', origin: { layer: 'mcp-json', file: mcpJson, line: 3 }, verdict: untrusted(project) },
        {
          id: 'a',
          origin: { layer: 'global' },
          verdict: { kind: 'usable', entry: { transport: { command: 'good' } } },
        },
        {
          id: 'b',
          origin: { layer: 'global' },
          verdict: { kind: 'usable', entry: { transport: { command: 'good' } } },
        },
      ]);
      const passedOver = (id: string, line: number) =>
        `"${id}" is untrusted and has no effect: the one in ${global}:${line} takes precedence. To trust this one, run switchboard trust ${project}`;
      expect(problems).toEqual([
        { file: config, line: 5, message: passedOver('a', 5) },
        { file: config, line: 8, message: passedOver('b', 8) },
      ]);
    },
  );

  test('of two untrusted entries with the same name, only the nearer is listed', async () => {
    const folder = newFolder();
    folder.write('project/.mcp.json', foreign('a'));
    folder.write('.mcp.json', foreign('a', 'b'));
    const loaded = await loadConfig(folder.testEnvironment());
    expect(loaded).toMatchObject({
      servers: [
        { id: 'a', origin: { file: join(folder.path, 'project/.mcp.json') } },
        { id: 'b', origin: { file: join(folder.path, '.mcp.json') }, verdict: untrusted(folder.path) },
      ],
      problems: [],
    });
  });

  test('an entry with a URL is untrusted; a disabled, broken or recursive one gives that reason instead', async () => {
    const folder = newFolder();
    folder.write('project/.mcp.json', {
      servers: {
        url: { url: 'https://example.com/mcp' },
        off: { command: 'x', disabled: true },
        broken: { command: 1 },
        self: { command: 'switchboard' },
      },
    });
    const { servers } = await loadConfig(folder.testEnvironment());
    expect(
      servers.map(({ id, verdict }) => [id, verdict.kind, verdict.kind === 'disabled' && verdict.isUntrusted]),
    ).toEqual([
      ['url', 'disabled', true],
      ['off', 'disabled', false],
      ['broken', 'error', false],
      ['self', 'disabled', false],
    ]);
  });

  test.each(['0', 'false', '', 'yes'])('SWITCHBOARD_TRUST_PROJECT=%j changes nothing', async (value) => {
    const folder = newFolder();
    folder.write('project/.mcp.json', foreign('a'));
    const { servers } = await loadConfig(folder.testEnvironment({ SWITCHBOARD_TRUST_PROJECT: value }));
    expect(servers).toMatchObject([{ verdict: { isUntrusted: true } }]);
  });
});

describe('a selection', () => {
  const load = async (env: LoadOptions['env'], only?: readonly string[]) => {
    const folder = newFolder();
    folder.write(CODEX, foreign('a', 'b', 'c'));
    return ids(await loadConfig({ ...folder.testEnvironment(env), ...(only === undefined ? {} : { only }) }));
  };

  test('omits the other servers', async () => {
    expect(await load({}, ['c', 'a'])).toEqual(['a', 'c']);
    expect(await load({ MCP_WRAPPER_SERVER_NAME: 'b' })).toEqual(['b']);
    expect(await load({ MCP_WRAPPER_SERVER_NAME: 'b' }, ['c'])).toEqual(['c']);
    expect(await load({ MCP_WRAPPER_SERVER_NAME: '' }, [])).toEqual(['a', 'b', 'c']);
  });

  test('of an unknown name is an error that lists the known names', async () => {
    await expect(load({ MCP_WRAPPER_SERVER_NAME: 'x y' })).rejects.toMatchObject({
      code: 'USAGE',
      message: 'There is no server "x y" (configured: a, b, c).',
    });
    await expect(load({}, ['a', 'x', 'toString'])).rejects.toMatchObject({
      code: 'USAGE',
      message: 'There is no server x, toString (configured: a, b, c).',
      data: { unknown: ['x', 'toString'], known: ['a', 'b', 'c'] },
    });
  });

  test('reports config errors, because the server may be in the broken file', async () => {
    const folder = newFolder();
    const file = folder.write(CODEX, '{');
    await expect(loadConfig({ ...folder.testEnvironment(), only: ['a'] })).rejects.toMatchObject({
      code: 'USAGE',
      message: `There is no server a: no server is configured. Config problem: ${file}:1: Not JSON at column 2: the file ends too early: it needs } for the { that is still open.`,
    });
  });
});

/** The files that a process in the folder `project` looks for. */
function absentFiles({ path }: Folder): LoadedConfig['files'] {
  const absent = { state: 'absent', signature: 'absent' } as const;
  const project = join(path, 'project');
  const upward = [project];
  for (let folder = project; dirname(folder) !== folder; folder = dirname(folder)) upward.push(dirname(folder));
  return [
    ...upward.map((folder) => ({
      ...absent,
      file: join(folder, '.switchboard/config.json'),
      layer: 'project' as const,
    })),
    ...upward.map((folder) => ({ ...absent, file: join(folder, '.mcp.json'), layer: 'mcp-json' as const })),
    { file: join(path, GLOBAL), layer: 'global', state: 'absent', signature: 'absent' },
    { file: join(path, CODEX), layer: 'codex', state: 'absent', signature: 'absent' },
  ];
}

function ids({ servers }: LoadedConfig): readonly string[] {
  return servers.map(({ id }) => id);
}

function summary({ servers }: LoadedConfig, root: string): readonly string[] {
  return servers.map(({ id, origin, verdict }) => {
    const file = origin.file.replace(`${root}/`, '');
    const transport = verdict.kind === 'usable' ? verdict.entry.transport : undefined;
    const does = transport?.kind === 'stdio' ? `runs ${transport.command}` : verdict.kind;
    return `${id} ${origin.layer} ${file}:${origin.line} ${does}`;
  });
}
