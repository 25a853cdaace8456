import { readFile, realpath, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';

/** The Node script by which the npm package of Codex starts its native program. */
export interface PackageScript {
  /** The folder of the package, without links. */
  readonly root: string;
  /** The path by which Node would have been told of the script. */
  readonly entry: string;
  readonly text: string;
  readonly manifest: Readonly<Record<string, unknown>>;
}

/**
 * The script that a program in PATH is. It is reached by links (npm, bun), or through the little script that pnpm, yarn
 * and npm on Windows write for a package. Undefined when the file is anything else.
 */
export async function findPackageScript(file: string): Promise<PackageScript | undefined> {
  const entry = await findEntry(file);
  const text = entry === undefined ? undefined : await readSmall(entry);
  if (entry === undefined || text === undefined) return undefined;
  const root = dirname(dirname(await realpath(entry)));
  const manifest = await readManifest(root);
  // By its name in there: whoever installs it may have called the folder something else.
  return manifest?.['name'] === '@openai/codex' ? { root, entry, text, manifest } : undefined;
}

async function findEntry(file: string): Promise<string | undefined> {
  const text = await readSmall(file);
  if (text === undefined) return undefined;
  if (basename(await realpath(file)) === 'codex.js') return file;
  const written = /(?:\$basedir|%dp0%|%~dp0)[\\/]+([^"'%$\r\n]*[\\/]bin[\\/]codex\.js)"/.exec(text)?.[1];
  return written === undefined ? undefined : resolve(dirname(file), written.replaceAll('\\', '/'));
}

async function readManifest(root: string): Promise<PackageScript['manifest'] | undefined> {
  try {
    const manifest: unknown = JSON.parse((await readSmall(join(root, 'package.json'))) ?? 'null');
    return typeof manifest === 'object' && manifest !== null ? { ...manifest } : undefined;
  } catch {
    // Whatever this is, it is not a package of npm.
    return undefined;
  }
}

/** Beyond this size a file is no script that starts another one. */
const MAX_SCRIPT_BYTES = 64 * 1024;

async function readSmall(file: string): Promise<string | undefined> {
  try {
    const { size } = await stat(file);
    return size <= MAX_SCRIPT_BYTES ? await readFile(file, 'utf8') : undefined;
  } catch {
    // Not there, or not for us to read: then it is not seen through.
    return undefined;
  }
}
