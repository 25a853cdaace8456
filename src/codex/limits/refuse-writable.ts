import { AppError } from '../../base/errors.ts';
import { visible } from '../../base/text/visible-text.ts';
import type { WritableAt } from './writable-folders.ts';

/** Throws DENIED for a program that runs outside of the sandbox and that a session could replace. */
export function refuseWritable(
  file: string,
  { what, install, writableAt }: { readonly what: string; readonly install: string; readonly writableAt: WritableAt },
): void {
  const folder = writableAt(file);
  if (folder === undefined) return;
  const text = `${what}, ${visible(file)}, lies in ${visible(folder)} or is reached through it. Sessions may write there, and could replace what runs outside of their sandbox. ${install}, or ask the operator to name other folders for sessions: switchboard codex --allow-root <dir>`;
  throw new AppError('DENIED', text, { data: { path: file, folder } });
}
