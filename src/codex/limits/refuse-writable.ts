import { AppError } from '../../base/errors.ts';
import { escapeInvisible } from '../../base/text/visible-text.ts';
import type { FindWritableFolder } from './writable-folders.ts';

/** Throws DENIED for a program that runs outside of the sandbox and that a session could replace. */
export function assertNotWritableBySessions(
  file: string,
  {
    what,
    install,
    findWritableFolder,
  }: { readonly what: string; readonly install: string; readonly findWritableFolder: FindWritableFolder },
): void {
  const folder = findWritableFolder(file);
  if (folder === undefined) return;
  const text = `${what}, ${escapeInvisible(file)}, is in ${escapeInvisible(folder)} or is reached through it. Sessions may write there and could replace what runs outside of their sandbox. ${install}, or ask the operator to name other folders for sessions: switchboard codex --allow-root <dir>`;
  throw new AppError('DENIED', text, { data: { path: file, folder } });
}
