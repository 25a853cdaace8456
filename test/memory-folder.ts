import { chmodSync, mkdtempSync, readFileSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';

/** The shared memory of Linux. Every user may write to it, like the system's temporary folder. */
const SHARED_MEMORY = '/dev/shm';
const MIN_FREE_BYTES = 4 * 2 ** 30;

/**
 * Creates a folder in memory for the temporary files of this run, which is removed when this process exits. Returns the
 * system's temporary folder where memory is scarce, or where programs must not run from it, as in many containers.
 */
export function openMemoryFolder(): string {
  if (process.platform !== 'linux' || !isUsable()) return tmpdir();
  // Short, because the path of a socket is limited to about 100 bytes.
  const folder = mkdtempSync(`${SHARED_MEMORY}/sb-`);
  // Some tests run programs as another user.
  chmodSync(folder, 0o1777);
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

function isUsable(): boolean {
  const mounts = readFileSync('/proc/self/mounts', 'utf8').split('\n');
  const [, , type, options = ''] = mounts.find((line) => line.split(' ')[1] === SHARED_MEMORY)?.split(' ') ?? [];
  if (type !== 'tmpfs' || options.split(',').some((option) => option === 'noexec' || option === 'ro')) return false;
  const { bavail, bsize } = statfsSync(SHARED_MEMORY);
  return bavail * bsize >= MIN_FREE_BYTES;
}
