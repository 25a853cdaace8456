import { describe, expect, test } from 'vitest';
import { serverEntry, stdioSettings } from '../../../test/config/server-entry.ts';
import type { Layer, ServerEntry, StdioSettings } from '../server-entry.ts';
import { resolveStdio, type StartOptions } from './resolve-stdio.ts';

const options: StartOptions = { cwd: '/work', home: '/home/me', platform: 'linux' };
const ref = (inner: string) => `\${${inner}}`;

describe('resolving a stdio server', () => {
  test('expands variables in command, arguments, folder and environment', () => {
    const entry = stdio({
      command: ref('BIN'),
      args: ['-k', ref('KEY:-none')],
      cwd: `${ref('BIN')}/x`,
      env: { TOKEN: `Bearer ${ref('SECRET')}` },
      framing: 'content-length',
    });
    expect(resolveStdio(entry, { BIN: '/opt/run', SECRET: 's', PATH: '/bin', HIDDEN: 'h' }, options)).toEqual({
      command: '/opt/run',
      args: ['-k', 'none'],
      cwd: '/opt/run/x',
      env: { PATH: '/bin', TOKEN: 'Bearer s' },
      framing: 'content-length',
    });
  });

  test('expands nothing if the dialect has no variables', () => {
    const entry = {
      ...stdio({ command: ref('A'), args: [ref('env:B')], env: { C: ref('D') } }),
      expandsVariables: false,
    };
    expect(resolveStdio(entry, {}, options)).toMatchObject({
      command: ref('A'),
      args: [ref('env:B')],
      env: { C: ref('D') },
    });
  });

  test.each([
    { command: ref('NOPE') },
    { args: ['x', ref('NOPE')] },
    { cwd: ref('NOPE') },
    { env: { API_KEY: ref('NOPE') } },
  ])('names the server, the missing variable, its location and the next command: %j', (settings) => {
    expect(() => resolveStdio(stdio(settings), {}, options)).toThrow(
      expect.objectContaining({
        code: 'CONFIG_INVALID',
        message: 'fetch needs NOPE, which is not set (/project/.mcp.json:7). Run: switchboard secret set NOPE',
        data: { server: 'fetch', file: '/project/.mcp.json', line: 7, variable: 'NOPE' },
      }),
    );
  });

  test.each([ref('env:TOKEN'), ref('input:token')])('rejects %s instead of passing it on', (text) => {
    expect(() => resolveStdio(stdio({ env: { A: text } }), { TOKEN: 'x' }, options)).toThrow(
      expect.objectContaining({ code: 'CONFIG_INVALID', message: expect.stringContaining(`has ${text} in env.A`) }),
    );
  });

  test('rejects a server with a URL', () => {
    const transport = {
      ...({ kind: 'http', url: 'https://x', headers: {}, oauth: undefined } as const),
      ...{ headerEnv: {}, bearerTokenEnv: undefined, isSse: false },
    };
    expect(() => resolveStdio({ ...stdio({}), transport }, {}, options)).toThrow(
      expect.objectContaining({ code: 'CONFIG_INVALID' }),
    );
  });

  test.each<[Layer, string, string | undefined, string | undefined]>([
    ['mcp-json', '/project/.mcp.json', undefined, '/project'],
    ['mcp-json', '/project/.mcp.json', 'sub/../x', '/project/x'],
    ['project', '/project/.switchboard/config.json', undefined, '/project'],
    ['project', '/project/.switchboard/config.json', './x', '/project/x'],
    ['global', '/home/me/.config/switchboard/config.json', undefined, undefined],
    ['global', '/home/me/.config/switchboard/config.json', 'x', '/home/me/.config/switchboard/x'],
    ['codex', '/home/me/.codex/.mcp.json', undefined, undefined],
    ['codex', '/home/me/.codex/.mcp.json', '~/x', '/home/me/x'],
    ['explicit', '/some/servers.json', undefined, undefined],
    ['explicit', '/some/servers.json', '~', '/home/me'],
    ['explicit', '/some/servers.json', '~other', '/some/~other'],
    ['explicit', '/some/servers.json', '/abs', '/abs'],
    ['command-line', '', undefined, undefined],
  ])('in layer %s of %s resolves the folder %s to %s', (layer, file, cwd, expected) => {
    const entry = { ...stdio({ cwd }), origin: { layer, file, line: 1 } };
    expect(resolveStdio(entry, {}, options).cwd).toBe(expected);
  });
});

describe('the environment of a server', () => {
  const allowed = {
    ...{
      PATH: '/bin',
      HOME: '/home/me',
      LANG: 'C',
      LC_ALL: 'C',
      XDG_RUNTIME_DIR: '/run',
      https_proxy: 'p',
      NO_PROXY: 'n',
    },
    ...{ SSL_CERT_FILE: 'c', NODE_EXTRA_CA_CERTS: 'e', TZ: 'UTC' },
  };
  const ours = { ...allowed, GITHUB_TOKEN: 'secret', OPENAI_API_KEY: 'secret', UNDEFINED: undefined };
  const environment = (
    settings: Partial<StdioSettings>,
    env: Record<string, string | undefined> = ours,
    platform = options.platform,
  ) => resolveStdio(stdio(settings), env, { ...options, platform }).env;

  test('has what programs need, and no secrets', () => {
    expect(environment({})).toEqual(allowed);
  });

  test('includes variables passed on by name, if they are set', () => {
    expect(environment({ envVars: ['GITHUB_TOKEN', 'NOT_SET'] })).toEqual({ ...allowed, GITHUB_TOKEN: 'secret' });
  });

  test('includes everything if the entry says so', () => {
    const { UNDEFINED: _, ...defined } = ours;
    expect(environment({ inheritEnv: true })).toEqual(defined);
  });

  test('prefers the values of the entry to ours', () => {
    const env = { PATH: '/mine', EMPTY: '', __proto__x: 'y' };
    expect(environment({ env, envVars: ['PATH'] })).toEqual({ ...allowed, ...env });
  });

  test('accepts any variable names, such as __proto__', () => {
    const env: Record<string, string> = JSON.parse('{"__proto__": "a", "constructor": "b"}');
    expect(Object.entries(environment({ env }, {}))).toEqual([
      ['__proto__', 'a'],
      ['constructor', 'b'],
    ]);
  });

  test('on Windows uses the Windows names, in any case, each once', () => {
    const env = {
      Path: 'C:\\bin',
      SystemRoot: 'C:\\Windows',
      'ProgramFiles(x86)': 'p',
      Secret: 's',
      Token: 't',
      http_proxy: 'x',
    };
    const given = { PATH: 'C:\\mine', token2: ref('TOKEN') };
    expect(environment({ env: given, envVars: ['TOKEN'] }, env, 'win32')).toEqual({
      ...{
        PATH: 'C:\\mine',
        SystemRoot: 'C:\\Windows',
        'ProgramFiles(x86)': 'p',
        Token: 't',
        http_proxy: 'x',
        token2: 't',
      },
    });
  });

  test.each([
    'path',
    'Home',
    'http_PROXY',
    'systemroot',
    'LCALL',
    'XXDG_A',
    'SSL_CERT',
    'PROXY',
    'VAULT_PROXY',
    'my_proxy',
  ])('elsewhere does not include the name %s', (name) => {
    expect(environment({}, { [name]: 'x' })).toEqual({});
  });
});

function stdio(settings: Partial<StdioSettings>): ServerEntry {
  return serverEntry({ id: 'fetch', transport: stdioSettings({ command: 'run', ...settings }) });
}
