import { realpathSync } from 'node:fs';
import { platformPath } from './folders.ts';

/** Resolves symbolic links. The part of the path that does not exist stays as written. */
export function realPathOf(path: string, platform: NodeJS.Platform): string {
  const { dirname, basename, join } = platformPath(platform);
  try {
    return realpathSync.native(path);
  } catch {
    // The path does not exist or is inaccessible, but a folder above it may be a link.
    const folder = dirname(path);
    return folder === path ? path : join(realPathOf(folder, platform), basename(path));
  }
}

/** Returns the path and every folder above it, up to the root. */
export function pathAndParents(path: string, platform: NodeJS.Platform): readonly string[] {
  const { dirname } = platformPath(platform);
  const paths = [path];
  for (let folder = dirname(path); folder !== paths.at(-1); folder = dirname(folder)) paths.push(folder);
  return paths;
}
