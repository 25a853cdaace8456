import { access, constants, open, realpath, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { AppError } from '../../base/errors.ts';
import { assertPathAllowed, enforcesLimits } from '../limits/operator-limits.ts';
import type { ServerContext } from '../server-context.ts';

type PathContext = Pick<ServerContext, 'operatorLimits' | 'cwd' | 'home'>;

/**
 * Checks a folder that a caller named: it must exist, be accessible, and be inside the folders that the operator
 * allows. Returns its absolute path, or under limits its real path, because a session could redirect a link that it may
 * write.
 */
export async function checkFolder(
  path: string,
  name: string,
  context: PathContext,
  base = context.cwd,
): Promise<string> {
  const folder = resolve(base, expandHome(path, context.home));
  const found = await stat(folder).catch(() => undefined);
  if (found === undefined) throw new AppError('BAD_ARGUMENTS', `${name}: there is no folder ${folder}.`);
  if (!found.isDirectory()) throw new AppError('BAD_ARGUMENTS', `${name}: ${folder} is not a folder.`);
  assertPathAllowed(context.operatorLimits, folder, `${name}:`);
  if (!(await isReadable(folder, constants.R_OK | constants.X_OK)))
    throw new AppError('BAD_ARGUMENTS', `${name}: ${folder} cannot be entered: this user may not read it.`);
  return enforcesLimits(context.operatorLimits) ? realpath(folder) : folder;
}

/** Does the same for a writable folder. Returns its real path, so that no link can replace it later. */
export async function checkWritableFolder(
  path: string,
  name: string,
  context: PathContext,
  base: string,
): Promise<string> {
  return realpath(await checkFolder(path, name, context, base));
}

/** Throws if the folder is not under version control. Codex refuses it too, but only after it has started. */
export async function assertInsideGitRepository(folder: string): Promise<void> {
  for (let at = folder; ; at = dirname(at)) {
    if (await isRepository(join(at, '.git'))) return;
    if (dirname(at) === at) break;
  }
  const text = `${folder} is not inside a git repository, so changes made by Codex could not be undone. Choose another workingDirectory, or set skipGitRepoCheck: true.`;
  throw new AppError('BAD_ARGUMENTS', text);
}

/** Accepts a `.git` file, or a `.git` folder with a HEAD: Codex's sandbox leaves empty `.git` folders behind. */
async function isRepository(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => undefined);
  if (found?.isDirectory() !== true) return found?.isFile() === true;
  return (await stat(join(path, 'HEAD')).catch(() => undefined)) !== undefined;
}

/** Throws for images that Codex cannot read. Codex itself skips them and only tells the model. */
export async function checkImages(
  paths: readonly string[],
  base: string,
  context: PathContext,
): Promise<readonly string[]> {
  return Promise.all(paths.map((path) => checkImage(resolve(base, expandHome(path, context.home)), context)));
}

async function checkImage(path: string, context: PathContext): Promise<string> {
  const found = await stat(path).catch(() => undefined);
  if (found === undefined) throw new AppError('BAD_ARGUMENTS', `images: there is no file ${path}.`);
  if (!found.isFile()) throw new AppError('BAD_ARGUMENTS', `images: ${path} is not a file.`);
  assertPathAllowed(context.operatorLimits, path, 'images:');
  if (!(await isReadable(path, constants.R_OK))) throw new AppError('BAD_ARGUMENTS', `images: ${path} cannot be read.`);
  if (!(await looksLikeImage(path)))
    throw new AppError('BAD_ARGUMENTS', `images: ${path} is not an image that Codex accepts (PNG, JPEG, GIF or WebP).`);
  return realpath(path);
}

function isReadable(path: string, mode: number): Promise<boolean> {
  return access(path, mode).then(
    () => true,
    () => false,
  );
}

async function looksLikeImage(path: string): Promise<boolean> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(12), 0, 12, 0);
    const head = buffer.subarray(0, bytesRead).toString('latin1');
    return /^\x89PNG|^\xff\xd8\xff|^GIF8|^RIFF....WEBP/s.test(head);
  } finally {
    await file.close();
  }
}

export function expandHome(path: string, home: string): string {
  return path === '~' || path.startsWith('~/') ? join(home, path.slice(1)) : path;
}
