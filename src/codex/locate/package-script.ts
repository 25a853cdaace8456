import { readFile, realpath, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';

/** The Node script with which the npm package of Codex starts its native program. */
export interface PackageScript {
  /** The real path of the package folder. */
  readonly root: string;
  /** The path that Node would get for the script. */
  readonly entry: string;
  readonly text: string;
  readonly manifest: Readonly<Record<string, unknown>>;
}

/**
 * Finds the package script behind a program in PATH: through links (npm, bun), or through the wrapper script that pnpm,
 * yarn and npm on Windows write for a package. Returns undefined if the file is anything else.
 */
export async function findPackageScript(file: string): Promise<PackageScript | undefined> {
  const entry = await findEntry(file);
  const text = entry === undefined ? undefined : await readSmall(entry);
  if (entry === undefined || text === undefined) return undefined;
  const root = dirname(dirname(await realpath(entry)));
  const manifest = await readManifest(root);
  // Checks the name in the manifest, because the folder may have been installed under another name.
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
    // The file is not an npm manifest.
    return undefined;
  }
}

/** A larger file is not a script that starts another program. */
const MAX_SCRIPT_BYTES = 64 * 1024;

async function readSmall(file: string): Promise<string | undefined> {
  try {
    const { size } = await stat(file);
    return size <= MAX_SCRIPT_BYTES ? await readFile(file, 'utf8') : undefined;
  } catch {
    // The file does not exist or is not readable: start the program as it is.
    return undefined;
  }
}
