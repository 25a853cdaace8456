import { AppError, isAppError } from '../../base/errors.ts';
import { describeErrno } from '../../base/files/errno.ts';
import { acquireLongLock } from '../../base/files/file-lock.ts';
import { escapeInvisible } from '../../base/text/visible-text.ts';
import { describeRemedy } from '../../config/files/private-json.ts';
import { toConfigError } from '../../config/problem.ts';

/** Runs the work, which may take long, while no other process runs work for the same lock file. */
export async function withRefreshLock<T>(file: string, work: () => Promise<T>, waitMs: number): Promise<T> {
  const release = await acquireLongLock(file, { waitMs, busyError: refreshBusy }).catch((error: unknown) => {
    throw isAppError(error) ? error : lockFailed(file, error);
  });
  try {
    return await work();
  } finally {
    await release();
  }
}

export function refreshBusy(file: string): AppError {
  return new AppError(
    'BUSY',
    `Another process is refreshing this sign-in and holds the lock ${escapeInvisible(file)}. If no such process is running, remove that file.`,
  );
}

function lockFailed(file: string, cause: unknown): AppError {
  const message = `The sign-in cannot be refreshed without this lock file: ${describeErrno(cause)}.${describeRemedy(cause)}`;
  return toConfigError({ file, line: 0, message }, cause);
}
