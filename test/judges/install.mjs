// @ts-check
// Installs the judges beside this file, once: the Inspector with the Node that it needs, and two older Codexes. Without a
// lockfile, because npm cannot write one for the Inspector that `npm ci` would accept; the versions in package.json are
// exact.
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const folder = dirname(fileURLToPath(import.meta.url));
const wanted = readFileSync(join(folder, 'package.json'), 'utf8');
const stamp = join(folder, 'node_modules', '.installed.json');

if (readStamp() !== wanted) {
  process.stderr.write(
    'Installing the judges of the tests, once: the MCP Inspector, the Node that it needs, and two older Codexes.\n',
  );
  // npm tells its scripts where it is; started by hand, it is looked up.
  const npm = process.env['npm_execpath'];
  const [command, ...args] = npm === undefined ? ['npm'] : [process.execPath, npm];
  const options = ['install', '--no-package-lock', '--no-audit', '--no-fund', '--loglevel=error'];
  const { status } = spawnSync(command, [...args, ...options], { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] });
  if (status !== 0) throw new Error(`npm install in ${folder} failed with status ${status}: see the messages above.`);
  writeFileSync(stamp, wanted);
}

function readStamp() {
  try {
    return readFileSync(stamp, 'utf8');
  } catch {
    // Not installed yet.
    return undefined;
  }
}
