import { existsSync, writeFileSync } from 'node:fs';
import { AppError, messageOf } from '../../../base/errors.ts';
import { quoteIfNeeded } from '../../../base/text/visible-text.ts';

/** Checks early, so that no server is queried for content that could not be written. */
export function refuseExisting(file: string): void {
  if (existsSync(file)) throw exists(file);
}

/** Writes a new private file. Never overwrites an existing file or link. */
export function writeNew(file: string, bytes: Buffer): void {
  try {
    writeFileSync(file, bytes, { flag: 'wx', mode: 0o600 });
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') throw exists(file);
    throw new AppError('USAGE', `${quoteIfNeeded(file)} cannot be written: ${messageOf(error)}`, { cause: error });
  }
}

function exists(file: string): AppError {
  const message = `${quoteIfNeeded(file)} is there already, and is not overwritten. Name another file with --output.`;
  return new AppError('USAGE', message, { data: { file } });
}
