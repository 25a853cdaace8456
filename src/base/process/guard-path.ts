import { delimiter, isAbsolute } from 'node:path';

/**
 * The PATH of the guard, which runs `grep` and `sleep` outside of any sandbox: the system's folders first. Others may be
 * open to the processes that it guards, as `node_modules/.bin` is when npx starts us; they count only where the system
 * keeps its programs elsewhere, as NixOS does.
 */
export function guardPath(path = ''): string {
  return ['/usr/bin', '/bin', ...path.split(delimiter).filter((entry) => isAbsolute(entry))].join(delimiter);
}
