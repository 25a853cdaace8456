// @ts-check
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Lets npm install what a folder needs, once for each content of its `manifest`.
 * @param {{ folder: string, manifest: string, npmArgs: readonly string[], notice: string }} options */
export function installOnce({ folder, manifest, npmArgs, notice }) {
  const wanted = readFileSync(join(folder, manifest), 'utf8');
  const stamp = join(folder, 'node_modules', '.installed.json');
  if (readStamp(stamp) === wanted) return;
  process.stderr.write(`${notice}\n`);
  // npm tells its scripts where it is. Without npm, look it up.
  const npm = process.env['npm_execpath'];
  const [command, ...args] = npm === undefined ? ['npm'] : [process.execPath, npm];
  const options = [...args, ...npmArgs, '--no-audit', '--no-fund', '--loglevel=error'];
  const { status } = spawnSync(command, options, { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] });
  if (status !== 0)
    throw new Error(`npm ${npmArgs[0]} in ${folder} failed with status ${status}: see the messages above.`);
  writeFileSync(stamp, wanted);
}

/** @param {string} stamp */
function readStamp(stamp) {
  try {
    return readFileSync(stamp, 'utf8');
  } catch {
    // Not installed yet.
    return undefined;
  }
}
