import { chmod, mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { findCodex, type Machine } from './find-codex.ts';

let root: string;
beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'find-codex-')));
});
afterEach(() => rm(root, { recursive: true }));

const at = (path: string) => join(root, path);

async function write(path: string, text: string, mode = 0o755): Promise<string> {
  await mkdir(dirname(at(path)), { recursive: true });
  await writeFile(at(path), text);
  await chmod(at(path), mode);
  return at(path);
}

async function link(path: string, target: string): Promise<void> {
  await mkdir(dirname(at(path)), { recursive: true });
  await symlink(target, at(path));
}

function machine(env: Machine['env'], over: Partial<Machine> = {}): Machine {
  return { env, cwd: root, home: at('home'), platform: 'linux', arch: 'x64', ...over };
}

const find = (env: Machine['env'], over?: Partial<Machine>) => findCodex(machine(env, over));

const INSTALL = 'Install it with "npm install -g @openai/codex"';
const CORRECT = `Set it to the Codex executable, or unset it to use the codex on PATH. ${INSTALL} if there is none.`;
const refusal = (message: string) => ({ name: 'AppError', code: 'CODEX_MISSING', message });

describe('a Codex that cannot be found', () => {
  test.each<[string, Machine['env']]>([
    ['no PATH', {}],
    ['an empty PATH', { PATH: '' }],
    ['empty entries, which would mean the working folder', { PATH: '::' }],
    ['missing folders', { PATH: '/does/not/exist:also/not' }],
  ])('is reported with what to do: %s', async (_what, env) => {
    await write('codex', '#!/bin/sh\n');
    await expect(find(env)).rejects.toMatchObject(
      refusal(`Codex was not found: codex is not on PATH. ${INSTALL}, or set CODEX_CLI_PATH to its executable.`),
    );
  });

  test('is reported if PATH has only a folder or a non-executable file of that name', async () => {
    await mkdir(at('a/codex'), { recursive: true });
    await write('b/codex', '', 0o644);
    await expect(find({ PATH: `${at('a')}:${at('b')}` })).rejects.toMatchObject({ code: 'CODEX_MISSING' });
  });

  test('is never replaced from PATH if CODEX_CLI_PATH is set', async () => {
    await write('bin/codex', '');
    await write('plain', '', 0o644);
    await mkdir(at('folder'));
    const named = (path: string) => find({ PATH: at('bin'), CODEX_CLI_PATH: path });
    await expect(named('./none')).rejects.toMatchObject(
      refusal(`CODEX_CLI_PATH names ${at('none')}, which does not exist. ${CORRECT}`),
    );
    await expect(named('./plain/codex')).rejects.toMatchObject(
      refusal(`CODEX_CLI_PATH names ${at('plain/codex')}, which does not exist. ${CORRECT}`),
    );
    await expect(named(at('folder'))).rejects.toMatchObject(
      refusal(`CODEX_CLI_PATH names ${at('folder')}, which is a folder: set it to the executable inside it.`),
    );
    await expect(named(at('plain'))).rejects.toMatchObject(
      refusal(`CODEX_CLI_PATH names ${at('plain')}, which is not executable: check its permissions.`),
    );
    await expect(named('my codex')).rejects.toMatchObject(
      refusal(`CODEX_CLI_PATH names "my codex", but it is not on PATH. ${CORRECT}`),
    );
  });
});

describe('the Codex program', () => {
  const ELF = '\x7fELF';

  test.each(['/bin/codex', './bin/codex', 'bin/codex', '~/codex', 'my-codex'])(
    'is the one named by CODEX_CLI_PATH as %s',
    async (named) => {
      const written = named.startsWith('/') ? at(named) : named;
      const place = { '~/codex': 'home/codex', 'my-codex': 'second/my-codex' }[named] ?? 'bin/codex';
      const file = await write(place, ELF);
      await write('first/codex', ELF);
      const env = { PATH: `${at('first')}:${at('second')}`, CODEX_CLI_PATH: written };
      const where = `${file} (CODEX_CLI_PATH)`;
      expect(await find(env)).toStrictEqual({ command: file, args: [], env, isNative: true, where });
    },
  );

  test('is the first in PATH, even in a relative folder', async () => {
    const file = await write('relative/bin/codex', ELF);
    await write('later/codex', ELF);
    const env = { PATH: `/does/not/exist:relative/bin:${at('later')}`, CODEX_CLI_PATH: '', TOKEN: 't' };
    expect(await find(env)).toStrictEqual({ command: file, args: [], env, isNative: true, where: `${file} (PATH)` });
  });

  test('is started by the name of its symlink, for multi-call programs', async () => {
    await write('opt/many-names', ELF);
    await link('bin/codex', at('opt/many-names'));
    expect(await find({ PATH: at('bin') })).toMatchObject({ command: at('bin/codex'), isNative: true });
  });

  test('is started through a third-party script, which may add settings', async () => {
    const text = `#!/bin/sh\nexport A=1\nexec node "${at('lib/node_modules/@openai/codex/bin/codex.js')}" --yes "$@"\n`;
    const file = await write('bin/codex', text);
    const env = { PATH: at('bin') };
    expect(await find(env)).toStrictEqual({ command: file, args: [], env, isNative: false, where: `${file} (PATH)` });
  });

  test('gets CODEX_HOME as an absolute path without ~', async () => {
    await write('bin/codex', ELF);
    const env = { PATH: at('bin'), CODEX_HOME: '~/.other' };
    expect((await find(env)).env).toStrictEqual({ PATH: at('bin'), CODEX_HOME: at('home/.other') });
    expect((await find({ PATH: at('bin'), CODEX_HOME: 'here' })).env).toMatchObject({ CODEX_HOME: at('here') });
    expect((await find({ PATH: at('bin'), CODEX_HOME: '' })).env).toMatchObject({ CODEX_HOME: '' });
  });
});

describe('the native Codex behind a script', () => {
  const TARGET = 'vendor/x86_64-unknown-linux-musl';
  const manifest = (platformPackage?: string) =>
    JSON.stringify({
      name: '@openai/codex',
      ...(platformPackage === undefined ? {} : { optionalDependencies: { [platformPackage]: '*' } }),
    });

  /** The layout of the current package, in a node_modules folder. */
  async function install(modules: string, platform = 'linux-x64', program = `${TARGET}/bin/codex`): Promise<string> {
    const name = `@openai/codex-${platform}`;
    await write(`${modules}/@openai/codex/bin/codex.js`, '#!/usr/bin/env node\n');
    await write(`${modules}/@openai/codex/package.json`, manifest(name));
    await write(`${modules}/${name}/package.json`, '{}');
    return write(`${modules}/${name}/${program}`, '');
  }

  const managed = (modules: string, by = 'NPM') => ({
    CODEX_MANAGED_PACKAGE_ROOT: at(`${modules}/@openai/codex`),
    [`CODEX_MANAGED_BY_${by}`]: '1',
  });

  test('of npm is found through its symlink, and replaces inherited CODEX_MANAGED variables', async () => {
    const command = await install('lib/node_modules');
    await link('bin/codex', '../lib/node_modules/@openai/codex/bin/codex.js');
    const env = { PATH: at('bin'), CODEX_MANAGED_BY_BUN: '1', CODEX_MANAGED_PACKAGE_ROOT: '/other' };
    expect(await find(env)).toStrictEqual({
      command,
      args: [],
      env: { PATH: at('bin'), ...managed('lib/node_modules') },
      isNative: true,
      where: `${at('bin/codex')} (PATH)`,
    });
    // Android uses the Linux binaries.
    expect(await find(env, { platform: 'android' })).toMatchObject({ command });
  });

  test('of npm in the older package layout is found, with its folder in PATH', async () => {
    const modules = 'lib/node_modules';
    // Belongs to another Codex, so this one does not look for it.
    await install(modules);
    await write(`${modules}/@openai/codex/package.json`, manifest());
    const command = await write(`${modules}/@openai/codex/${TARGET}/codex/codex`, '');
    await link('bin/codex', at(`${modules}/@openai/codex/bin/codex.js`));
    const env = { PATH: `${at('bin')}::/usr/bin` };
    expect(await find(env)).toMatchObject({ command, env: { ...env, CODEX_MANAGED_BY_NPM: '1' } });
    await mkdir(at(`${modules}/@openai/codex/${TARGET}/path`));
    expect((await find(env)).env).toStrictEqual({
      PATH: `${at(`${modules}/@openai/codex/${TARGET}/path`)}:${at('bin')}:/usr/bin`,
      CODEX_MANAGED_BY_NPM: '1',
    });
  });

  test('of bun is found', async () => {
    const modules = '.bun/install/global/node_modules';
    const command = await install(modules);
    await link('.bun/bin/codex', `../install/global/node_modules/@openai/codex/bin/codex.js`);
    const env = { PATH: at('.bun/bin') };
    expect(await find(env)).toMatchObject({ command, env: { ...env, ...managed(modules, 'BUN') } });
  });

  test('of pnpm is found through its script and its isolated packages', async () => {
    const store = 'pnpm/global/5/.pnpm/@openai+codex@0.166.0/node_modules';
    const command = await install(store);
    await link('pnpm/global/5/node_modules/@openai/codex', at(`${store}/@openai/codex`));
    await write('pnpm/global/5/node_modules/.modules.yaml', '');
    const script = '#!/bin/sh\nexec node  "$basedir/../global/5/node_modules/@openai/codex/bin/codex.js" "$@"\n';
    await write('pnpm/bin/codex', script);
    const env = { PATH: at('pnpm/bin') };
    expect(await find(env)).toMatchObject({ command, env: { ...env, ...managed(store, 'PNPM') } });
  });

  test.each([
    ['x64', '@ECHO off\r\n"%_prog%"  "%dp0%\\node_modules\\@openai\\codex\\bin\\codex.js" %*\r\n'],
    ['arm64', '@node "%~dp0\\node_modules\\@openai\\codex\\bin\\codex.js" %*\r\n'],
  ])('of npm on Windows is found (%s)', async (arch, script) => {
    const triple = arch === 'x64' ? 'x86_64-pc-windows-msvc' : 'aarch64-pc-windows-msvc';
    const command = await install('npm/node_modules', `win32-${arch}`, `vendor/${triple}/bin/codex.exe`);
    await write('npm/codex', '#!/bin/sh\n');
    const where = `${await write('npm/codex.cmd', script)} (PATH)`;
    const env = { Path: `C:\\none;${at('npm')}`, PATHEXT: '.EXE;.CMD' };
    expect(await find(env, { platform: 'win32', arch })).toStrictEqual({
      command,
      args: [],
      env: { ...env, ...managed('npm/node_modules') },
      isNative: true,
      where,
    });
  });

  test.each<[string, Partial<Machine>]>([
    ['the package does not support this platform', { arch: 'riscv64' }],
    ['the package for this platform is not installed', { arch: 'arm64' }],
  ])('is left to the script if %s', async (_when, over) => {
    await install('lib/node_modules');
    await link('bin/codex', at('lib/node_modules/@openai/codex/bin/codex.js'));
    const env = { PATH: at('bin') };
    const where = `${at('bin/codex')} (PATH)`;
    expect(await find(env, over)).toStrictEqual({ command: at('bin/codex'), args: [], env, isNative: false, where });
  });

  test.each(['{"name":"codex"}', 'not JSON', 'null'])(
    'is not searched for in a different package: %s',
    async (text) => {
      await install('lib/node_modules');
      await write('lib/node_modules/@openai/codex/package.json', text);
      await link('bin/codex', at('lib/node_modules/@openai/codex/bin/codex.js'));
      expect(await find({ PATH: at('bin') })).toMatchObject({ command: at('bin/codex'), isNative: false });
    },
  );
});
