/** Describes a failed file operation in a few words. */
export function describeErrno(error: unknown): string {
  const code = errnoOf(error);
  switch (code) {
    case 'EACCES':
    case 'EPERM':
      return 'permission denied';
    case 'ELOOP':
      return 'its symbolic links form a loop';
    default:
      return code ?? 'unknown error';
  }
}

/** The error code of a failed system call, such as `ENOENT`. */
export function errnoOf(error: unknown): string | undefined {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? code : undefined;
}
