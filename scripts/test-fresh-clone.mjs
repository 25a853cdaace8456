// @ts-check
// Runs the projects of the suite, and the conformance scenarios with the judges, in a fresh clone under different
// conditions:
//   npm run test:fresh-clone -- [--folder <new folder>] [--user <uid>] [--read-only-home] [--busy <n>] [--shuffle]
//     [--projects unit,integration,judges] [-- <vitest arguments>]
// Without --folder, the clone is in the temporary folder, in a path with spaces and non-ASCII letters.
import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, lchownSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const text = /** @type {const} */ ({ type: 'string' });
const flag = /** @type {const} */ ({ type: 'boolean', default: false });
const { values, positionals } = parseArgs({
  options: { folder: text, user: text, 'read-only-home': flag, busy: text, shuffle: flag, projects: text },
  allowPositionals: true,
});
const uid = values.user === undefined ? undefined : wholeNumber(values.user, '--user');
const projects = (values.projects ?? 'unit,integration,judges').split(',');
const busyLoops = wholeNumber(values.busy ?? '0', '--busy');

const place = mkdtempSync(join(tmpdir(), 'switchboard-elsewhere-'));
const folder = resolve(values.folder ?? join(place, 'a clone, größer'));
const home = join(place, 'home');
const loops = Array.from({ length: busyLoops }, () => spawn(process.execPath, ['-e', 'for(;;);'], { stdio: 'ignore' }));
try {
  mkdirSync(home);
  chmodSync(place, 0o755);
  run('git', ['clone', '--quiet', '--no-hardlinks', root, folder], {});
  if (uid !== undefined) for (const path of [place, folder]) chown(path, uid);
  if (values['read-only-home']) chmodSync(home, 0o555);
  const inClone = {
    cwd: folder,
    env: { ...process.env, HOME: home, npm_config_cache: join(place, 'npm') },
    ...(uid === undefined ? {} : { uid, gid: uid }),
  };
  run('npm', ['ci'], inClone);
  const hasJudges = projects.includes('judges');
  run('npm', ['run', '--silent', hasJudges ? 'pretest:judges' : 'pretest'], inClone);
  const order = values.shuffle ? ['--sequence.shuffle.files', '--sequence.shuffle.tests'] : [];
  // One at a time: with an order on the command line, vitest ignores the order of the projects.
  for (const project of projects)
    run('npx', ['vitest', 'run', '--project', project, ...order, ...positionals], inClone);
  if (hasJudges) run('npm', ['run', '--silent', 'conformance'], inClone);
} finally {
  for (const loop of loops) loop.kill('SIGKILL');
  chmodSync(home, 0o755);
  for (const path of [place, folder]) rmSync(path, { recursive: true, force: true });
}

/** @param {string} command @param {readonly string[]} args @param {import('node:child_process').SpawnSyncOptions} options */
function run(command, args, options) {
  process.stdout.write(`\n> ${command} ${args.join(' ')}\n`);
  const { status, error } = spawnSync(command, args, { stdio: 'inherit', ...options });
  if (error !== undefined) throw error;
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} ended with ${status}`);
}

/** @param {string} path @param {number} owner */
function chown(path, owner) {
  lchownSync(path, owner, owner);
  for (const entry of readdirSync(path, { withFileTypes: true })) {
    const inside = join(path, entry.name);
    if (entry.isDirectory()) chown(inside, owner);
    else lchownSync(inside, owner, owner);
  }
}

/** @param {string} value @param {string} name */
function wholeNumber(value, name) {
  if (!/^\d{1,9}$/.test(value)) throw new Error(`${name} must be an integer, not ${value}.`);
  return Number(value);
}
