// @ts-check
// Installs the conformance suite beside this file, once, exactly as its lockfile says.
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const folder = dirname(fileURLToPath(import.meta.url));
const wanted = readFileSync(join(folder, 'package-lock.json'), 'utf8');
const stamp = join(folder, 'node_modules', '.installed.json');

if (readStamp() !== wanted) {
  process.stderr.write('Installing the conformance suite and the Node that it needs, once.\n');
  // npm tells its scripts where it is; started by hand, it is looked up.
  const npm = process.env['npm_execpath'];
  const [command, ...args] = npm === undefined ? ['npm'] : [process.execPath, npm];
  const options = ['ci', '--no-audit', '--no-fund', '--loglevel=error'];
  const { status } = spawnSync(command, [...args, ...options], { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] });
  if (status !== 0) throw new Error(`npm ci in ${folder} failed with status ${status}: see the messages above.`);
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
