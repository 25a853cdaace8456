import { type Environment, nonEmptyVariable, platformPath } from '../../config/files/folders.ts';
import { realPathOf } from '../../config/files/real-path.ts';

/**
 * Returns whether a path leads into one of the system's temporary folders, as written or after resolving links. Codex
 * sessions may write there, so a file in such a folder does not prove that its author runs outside a sandbox.
 */
export function isTemporary(path: string, { env, platform }: Omit<Environment, 'cwd' | 'home'>): boolean {
  const { isAbsolute, relative } = platformPath(platform);
  const named = VARIABLES.map((name) => nonEmptyVariable(env, name))
    .filter(isText)
    .filter(isAbsolute);
  const spellings = (place: string) => [place, realPathOf(place, platform)];
  const isInside = (folder: string, place: string) => !/^\.\.(?:\/|$)/.test(relative(folder, place));
  return ['/tmp', ...named]
    .flatMap(spellings)
    .some((folder) => spellings(path).some((place) => isInside(folder, place)));
}

/** The variables that Node reads to find the temporary folder, in this order. Codex reads only the first one. */
const VARIABLES = ['TMPDIR', 'TMP', 'TEMP'];

function isText(value: string | undefined): value is string {
  return value !== undefined;
}
