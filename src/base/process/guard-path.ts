import { delimiter, isAbsolute } from 'node:path';

/**
 * Returns the PATH of the guard, which runs `grep` and `sleep` outside any sandbox. The system's folders come first,
 * because the guarded processes may be able to write to others, such as `node_modules/.bin` when npx starts us. The
 * others matter only on systems that keep their programs elsewhere, such as NixOS.
 */
export function guardPath(path = ''): string {
  return ['/usr/bin', '/bin', ...path.split(delimiter).filter((entry) => isAbsolute(entry))].join(delimiter);
}
