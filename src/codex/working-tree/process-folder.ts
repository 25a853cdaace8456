import { mkdirSync, mkdtempSync, readdirSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';

/** Creates a folder in `parent` named after this process id. Deletes folders of ended processes. */
export async function createProcessFolder(parent: string): Promise<string> {
  mkdirSync(parent, { recursive: true, mode: 0o700 });
  const left = readdirSync(parent).filter(isOfEndedProcess);
  await Promise.all(
    left.map((name) => rm(join(parent, name), { recursive: true, force: true }).catch(() => undefined)),
  );
  return mkdtempSync(join(parent, `${process.pid}-`));
}

/** Returns whether the process id at the beginning of the name is no longer in use. */
export function isOfEndedProcess(name: string): boolean {
  const pid = Number(/^(\d{1,10})-/.exec(name)?.[1] ?? Number.NaN);
  if (Number.isNaN(pid)) return false;
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    // A process of another user causes EPERM, and is running.
    return error instanceof Error && 'code' in error && error.code === 'ESRCH';
  }
}
