import { filledVariable, pathOf, type Surroundings } from '../config/folders.ts';
import { realPathOf } from '../config/real-path.ts';

/**
 * Whether a path leads into one of the system's temporary folders, as it is written or after its links are resolved.
 * Codex sessions may write there, so nothing in them tells a session from a process without a sandbox.
 */
export function isTemporary(path: string, { env, platform }: Omit<Surroundings, 'cwd' | 'home'>): boolean {
  const { isAbsolute, relative } = pathOf(platform);
  const named = VARIABLES.map((name) => filledVariable(env, name))
    .filter(isText)
    .filter(isAbsolute);
  const spellings = (place: string) => [place, realPathOf(place, platform)];
  const isInside = (folder: string, place: string) => !/^\.\.(?:\/|$)/.test(relative(folder, place));
  return ['/tmp', ...named]
    .flatMap(spellings)
    .some((folder) => spellings(path).some((place) => isInside(folder, place)));
}

/** In this order Node looks for the temporary folder. Codex uses the first one. */
const VARIABLES = ['TMPDIR', 'TMP', 'TEMP'];

function isText(value: string | undefined): value is string {
  return value !== undefined;
}
