import { realpathSync } from 'node:fs';
import { platformPath } from './folders.ts';

/** The path without symbolic links. The part of it that does not exist stays as it is written. */
export function realPathOf(path: string, platform: NodeJS.Platform): string {
  const { dirname, basename, join } = platformPath(platform);
  try {
    return realpathSync.native(path);
  } catch {
    // It does not exist or cannot be reached, but a folder above it may be a link.
    const folder = dirname(path);
    return folder === path ? path : join(realPathOf(folder, platform), basename(path));
  }
}
