import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { extname, join, resolve } from 'node:path';

/** A folder for what one run of Codex needs as files. No other user may read it. */
export interface ScratchFolder {
  /** Writes a file and gives its path. */
  write(name: string, content: string): Promise<string>;
  /** Codex cuts `--image` at commas: a path with one gets another name. */
  pathWithoutComma(image: string): Promise<string>;
  /** May be called twice, never throws. */
  remove(): Promise<void>;
}

/** Creates nothing before it is needed, not even `parent`, which no session may write to. */
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
      // It was never made, or it cannot be removed: it holds no secret that Codex does not have.
    }
  }

  return { write, pathWithoutComma, remove };
}
