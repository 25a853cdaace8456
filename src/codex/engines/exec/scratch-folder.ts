import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { extname, join, resolve } from 'node:path';

/** A folder for the files of one Codex run. No other user may read it. */
export interface ScratchFolder {
  /** Writes a file and returns its path. */
  write(name: string, content: string): Promise<string>;
  /** Returns a path without commas, through a link if necessary: Codex splits `--image` at commas. */
  pathWithoutComma(image: string): Promise<string>;
  /** May be called twice, never throws. */
  remove(): Promise<void>;
}

/** Creates the folder on demand, and `parent` as well, which no session may write to. */
export function createScratchFolder(parent: string): ScratchFolder {
  let folder: Promise<string> | undefined;
  let count = 0;

  function open(): Promise<string> {
    folder ??= mkdir(parent, { recursive: true, mode: 0o700 }).then(() => mkdtemp(join(parent, 'turn-')));
    return folder;
  }

  async function write(name: string, content: string): Promise<string> {
    const file = join(await open(), name);
    await writeFile(file, content, { mode: 0o600, flag: 'wx' });
    return file;
  }

  async function pathWithoutComma(image: string): Promise<string> {
    if (!image.includes(',')) return image;
    const link = join(await open(), `image-${++count}${extname(image).replaceAll(',', '')}`);
    await symlink(resolve(image), link);
    return link;
  }

  async function remove(): Promise<void> {
    try {
      if (folder !== undefined) await rm(await folder, { recursive: true, force: true });
    } catch {
      // The folder was never created, or cannot be removed. It contains no secret that Codex does not have.
    }
  }

  return { write, pathWithoutComma, remove };
}
