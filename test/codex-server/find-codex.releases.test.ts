import { execFile } from 'node:child_process';
import { chmod, cp, mkdir, mkdtemp, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { parseCodexVersion } from '../../src/codex/locate/codex-version.ts';
import { findCodex, type Machine } from '../../src/codex/locate/find-codex.ts';
import { codexManifest } from '../codex/codex-binary.ts';
import { codexReleases, testWith } from '../codex/releases.ts';

const run = promisify(execFile);

const VERSIONS = { current: '0.166.0', previous: '0.150.0', old: '0.92.0' };

/** The script of each Codex version that this project runs. */
const scripts = codexReleases('current', 'previous', 'old').map(
  (release) => [VERSIONS[release], join(dirname(codexManifest(release)), 'bin', 'codex.js')] as const,
);

const { platform, arch } = process;
const machine = (env: Machine['env']): Machine => ({
  env,
  cwd: import.meta.dirname,
  home: '/',
  platform,
  arch,
});

test.each(scripts)('finds the native program of the installed Codex %s, in that version', async (text, path) => {
  const { command, args, isNative, where } = await findCodex(machine({ CODEX_CLI_PATH: path }));
  expect({ args, isNative, where }).toEqual({ args: [], isNative: true, where: `${path} (CODEX_CLI_PATH)` });
  const { stdout } = await run(command, ['--version'], { env: {} });
  expect(parseCodexVersion(stdout)?.text).toBe(text);
});

testWith('current')('a Codex of a project is found through the links of its node_modules', async () => {
  const bin = fileURLToPath(new URL('../../node_modules/.bin', import.meta.url));
  const { command, isNative } = await findCodex(machine({ PATH: bin }));
  expect(isNative).toBe(true);
  const { stdout } = await run(command, ['--version'], { env: {} });
  expect(stdout).toBe('codex-cli 0.166.0\n');
});

let root: string;
beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'find-codex-')));
});
afterEach(() => rm(root, { recursive: true }));

const PRINTS_ENVIRONMENT = `#!${process.execPath}\nprocess.stdout.write(JSON.stringify(process.env));\n`;

/** The real Codex script in a layout of the test, with a native program that reports its arguments. */
async function installEnvironmentPrinter(path: string, modules: string): Promise<string> {
  const home = join(root, modules, '@openai', 'codex');
  await cp(dirname(path), join(home, 'bin'), { recursive: true });
  const manifest = await readFile(join(dirname(path), '..', 'package.json'), 'utf8');
  await writeFile(join(home, 'package.json'), manifest);
  const name = `@openai/codex-${platform}-${arch}`;
  const isApart = manifest.includes(name);
  const vendor = join(isApart ? join(root, modules, name) : home, 'vendor', 'x86_64-unknown-linux-musl');
  if (isApart) await mkdir(join(root, modules, name), { recursive: true });
  if (isApart) await writeFile(join(root, modules, name, 'package.json'), '{}');
  const program = join(vendor, isApart ? 'bin' : 'codex', 'codex');
  for (const folder of [dirname(program), join(vendor, 'path'), join(vendor, 'codex-path')])
    await mkdir(folder, { recursive: true });
  await writeFile(program, PRINTS_ENVIRONMENT);
  await chmod(program, 0o755);
  await mkdir(join(root, 'bin'));
  await symlink(join(home, 'bin', 'codex.js'), join(root, 'bin', 'codex'));
  return program;
}

const layouts = [
  ['npm', 'lib/node_modules'],
  ['bun', '.bun/install/global/node_modules'],
  ['pnpm', 'global/node_modules'],
] as const;

const cases = scripts.flatMap(([version, path]) =>
  // Before 0.150, the script did not support pnpm.
  layouts
    .filter(([manager]) => manager !== 'pnpm' || version !== '0.92.0')
    .map(([manager, modules]) => [version, manager, modules, path] as const),
);

test.runIf(platform === 'linux' && arch === 'x64').each(cases)(
  'the environment equals the one that the script of Codex %s sets when installed by %s',
  async (_version, manager, modules, path) => {
    const program = await installEnvironmentPrinter(path, modules);
    if (manager === 'pnpm') await writeFile(join(root, modules, '.modules.yaml'), '');
    const env = { PATH: `${join(root, 'bin')}:${dirname(process.execPath)}`, HOME: root, TOKEN: 'a=b' };
    const found = await findCodex(machine(env));
    const { stdout } = await run(process.execPath, [join(root, 'bin', 'codex')], { env });
    expect({ command: found.command, env: found.env }).toEqual({ command: program, env: JSON.parse(stdout) });
  },
);
