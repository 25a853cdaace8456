import { existsSync, readdirSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

/** Removes the temporary files that a killed process left beside `file`. Nothing may write the file meanwhile. */
export function removeHalfWritten(file: string): void {
  removeTemporaryFiles(dirname(file), (name) => name.startsWith(`${basename(file)}.`));
}

/** Removes the temporary files in a folder that a killed process left there. */
export function removeTemporaryFiles(folder: string, isMeant: (name: string) => boolean = () => true): void {
  const names = existsSync(folder) ? readdirSync(folder) : [];
  for (const name of names.filter((one) => TEMPORARY.test(one) && isMeant(one)))
    rmSync(join(folder, name), { force: true });
}

/** `<file>.<random>.tmp`, which replaces the file when it is complete. */
const TEMPORARY = /\.[0-9a-f]{12}\.tmp$/;
