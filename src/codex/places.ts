import { realpathSync } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import { AppError } from '../base/errors.ts';
import { isInside } from './ceilings.ts';
import type { Workplace } from './workplace.ts';

/**
 * Looks once more at the folders of a turn, right before it begins: a link may stand now where a folder was when it was
 * checked. Throws DENIED when one leads to where nothing may be done.
 */
export function refusePlaces(
  folders: readonly string[],
  sandbox: string | undefined,
  { ceilings, codexHome }: Pick<Workplace, 'ceilings' | 'codexHome'>,
): void {
  const roots = ceilings.roots.map(real);
  const outside = folders.find((folder) => roots.length > 0 && !roots.some((root) => isInside(root, real(folder))));
  if (outside !== undefined) {
    const text = `${outside} leads outside of the folders that the operator of this server allows (--allow-root): ${ceilings.roots.join(', ')}`;
    throw new AppError('DENIED', text, { data: { path: outside } });
  }
  if (ceilings.allowsDanger || sandbox === 'read-only') return;
  const own = folders.find((folder) => reaches(real(folder), real(codexHome)));
  if (own === undefined) return;
  const text = `${own} holds, or lies in, the folder of Codex itself (CODEX_HOME, ${codexHome}): whoever writes there decides what the next session starts. Choose another folder or the sandbox read-only, or let the operator allow it: switchboard codex --allow-dangerous.`;
  throw new AppError('DENIED', text, { data: { path: own } });
}

/** Codex itself protects a folder `.codex` directly below the one that it may write to, and no other. */
function reaches(folder: string, codexHome: string): boolean {
  const isProtected = dirname(codexHome) === folder && basename(codexHome) === '.codex';
  return !isProtected && (isInside(folder, codexHome) || isInside(codexHome, folder));
}

function real(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    // What does not exist leads nowhere else.
    return resolve(path);
  }
}
