import { readdir, readFile } from 'node:fs/promises';

/**
 * Returns the ids of all processes whose HOME is in this folder, including orphans. Works only on Linux, where a
 * process exposes its initial environment. Elsewhere it returns nothing.
 */
export async function findProcesses(homeDir: string): Promise<readonly number[]> {
  if (process.platform !== 'linux') return [];
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/u.test(name));
  // An exited process or a zombie has no environment.
  const environments = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/environ`, 'utf8').catch(() => '')));
  return pids.filter((_, index) => isAtHome(environments[index] ?? '', homeDir)).map(Number);
}

function isAtHome(environment: string, homeDir: string): boolean {
  return environment.split('\0').some((entry) => `${entry}/`.startsWith(`HOME=${homeDir}/`));
}
