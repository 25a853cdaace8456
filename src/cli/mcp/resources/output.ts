import { existsSync, writeFileSync } from 'node:fs';
import { AppError, messageOf } from '../../../base/errors.ts';
import { quoteIfNeeded } from '../../../base/text/visible-text.ts';

/** Before anybody is asked for what could then not be written. */
export function refuseExisting(file: string): void {
  if (existsSync(file)) throw exists(file);
}

/** A new file that nobody else may read. What stands there already, a link too, is left as it is. */
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
