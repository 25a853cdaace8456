import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { Script } from 'node:vm';
import { describe, expect, test } from 'vitest';
import { VERSION } from '../src/base/version.ts';
import { modeOf, useTemporaryFolders } from './temporary-folder.ts';

const parts = join(import.meta.dirname, '../dist/cli');
const newFolder = useTemporaryFolders();

function run(cache: string, { args = ['mcp', '--version'], ...options }: { args?: string[]; cwd?: string } = {}) {
  return runWith({ SWITCHBOARD_CODE_CACHE: cache }, { args, ...options });
}

function runWith(variables: NodeJS.ProcessEnv, { args, cwd }: { args: string[]; cwd?: string }) {
  const env = { ...process.env, ...variables };
  const { stdout, stderr, status } = spawnSync(process.execPath, [join(parts, 'main.js'), ...args], {
    env,
    encoding: 'utf8',
    cwd,
  });
  return { stdout, stderr, status };
}

const answered = { stdout: `${VERSION}\n`, stderr: '', status: 0 };

/** Returns the only file below `cache`: the code of the part that answers `--version`. */
function savedFile(cache: string): string {
  const files = readdirSync(cache, { recursive: true, encoding: 'utf8' }).filter((name) => name.includes('.js-'));
  expect(files).toEqual([expect.stringContaining('command-line.js-')]);
  return join(cache, files[0] ?? '');
}

/** Replaces saved code with that of another source. V8 accepts it, because both sources have the same length. */
function plant(file: string): void {
  const start = '(function (exports, require, module, __filename, __dirname, Import) {';
  const length = start.length + readFileSync(join(parts, 'command-line.js'), 'utf8').length + '\n})'.length;
  const body = `exports.runCommandLine = () => process.stdout.write('planted');`;
  const script = new Script(`${`${start}${body}`.padEnd(length - 3)}\n})`);
  const exports = { runCommandLine() {} };
  script.runInThisContext()(exports);
  // V8 saves only functions that have run.
  const write = process.stdout.write;
  process.stdout.write = () => true;
  exports.runCommandLine();
  process.stdout.write = write;
  writeFileSync(file, script.createCachedData());
}

describe('compiled code', () => {
  test('is saved by the first run, readable by its owner only, and not again by the second', () => {
    const cache = join(newFolder(), 'new');
    expect(run(cache)).toEqual(answered);
    const file = savedFile(cache);
    expect([modeOf(file), modeOf(join(file, '..'))]).toEqual(['600', '700']);
    const first = statSync(file).ino;
    expect(run(cache)).toEqual(answered);
    expect(statSync(file).ino).toBe(first);
  });

  test('is what the second run executes', () => {
    const cache = newFolder();
    run(cache);
    plant(savedFile(cache));
    expect(run(cache)).toEqual({ stdout: 'planted', stderr: '', status: 0 });
  });

  test('can import ES modules', () => {
    const [cache, home] = [newFolder(), newFolder()];
    const logout = () =>
      runWith({ SWITCHBOARD_CODE_CACHE: cache, SWITCHBOARD_HOME: home }, { args: ['mcp', 'logout', 'nobody'] });
    const first = logout();
    expect(first).toMatchObject({ status: 2, stderr: expect.stringContaining('nobody') });
    expect(logout()).toEqual(first);
  });

  test('is saved by a short command only beside other cached data', () => {
    const home = newFolder();
    const start = () =>
      runWith({ SWITCHBOARD_CODE_CACHE: undefined, SWITCHBOARD_HOME: home }, { args: ['mcp', '--version'] });
    expect(start()).toEqual(answered);
    expect(readdirSync(home)).toEqual([]);
    mkdirSync(join(home, 'catalogs'));
    expect(start()).toEqual(answered);
    expect(readdirSync(home)).toEqual(['catalogs', 'code']);
  });

  test('is ignored if other users may write it', () => {
    const cache = newFolder();
    run(cache);
    plant(savedFile(cache));
    chmodSync(savedFile(cache), 0o622);
    expect(run(cache)).toEqual(answered);
  });

  test.runIf(process.getuid?.() === 0)('of another user is ignored, and nothing is added to their folder', () => {
    const cache = newFolder();
    run(cache);
    const file = savedFile(cache);
    plant(file);
    chownSync(file, 65534, 65534);
    chownSync(join(file, '..'), 65534, 65534);
    const before = statSync(file).ino;
    expect(run(cache)).toEqual(answered);
    expect(statSync(savedFile(cache)).ino).toBe(before);
  });

  test('that V8 rejects is compiled again, and replaced after a day', () => {
    const cache = newFolder();
    run(cache);
    const file = savedFile(cache);
    writeFileSync(file, 'damaged');
    expect(run(cache)).toEqual(answered);
    expect(readFileSync(file, 'utf8')).toBe('damaged');
    const twoDaysAgo = Date.now() / 1000 - 2 * 24 * 60 * 60;
    utimesSync(file, twoDaysAgo, twoDaysAgo);
    expect(run(cache)).toEqual(answered);
    expect(statSync(file).size).toBeGreaterThan(1000);
  });

  test('of builds that have not been used for a month is removed', () => {
    const cache = newFolder();
    const old = join(cache, 'old-build');
    mkdirSync(old);
    mkdirSync(join(cache, 'other-build'));
    const longAgo = Date.now() / 1000 - 31 * 24 * 60 * 60;
    utimesSync(old, longAgo, longAgo);
    run(cache);
    expect(readdirSync(cache).filter((name) => name.endsWith('-build'))).toEqual(['other-build']);
  });

  test('is not needed: a file in place of its folder changes nothing', () => {
    const file = join(newFolder(), 'file');
    writeFileSync(file, '');
    expect(run(file)).toEqual(answered);
    expect(readFileSync(file, 'utf8')).toBe('');
  });

  test('is neither read nor saved when it is off', () => {
    const cwd = newFolder();
    expect(run('off', { cwd })).toEqual(answered);
    expect(readdirSync(cwd)).toEqual([]);
  });
});
