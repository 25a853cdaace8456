import { readdir, readFile } from 'node:fs/promises';

/**
 * The ids of all processes whose HOME is this folder or lies in it, orphans included. Works on Linux only, where a
 * process shows the environment it was started with; elsewhere nothing is found.
 */
export async function findProcesses(homeDir: string): Promise<readonly number[]> {
  if (process.platform !== 'linux') return [];
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/u.test(name));
  // One that has ended since, or has ended and was not yet collected, has no environment any more.
  const environments = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/environ`, 'utf8').catch(() => '')));
  return pids.filter((_, index) => isAtHome(environments[index] ?? '', homeDir)).map(Number);
}

function isAtHome(environment: string, homeDir: string): boolean {
  return environment.split('\0').some((entry) => `${entry}/`.startsWith(`HOME=${homeDir}/`));
}
