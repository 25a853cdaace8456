import { realFolder } from '../real-folder.ts';
import { readUserConfig } from '../settings/user-config.ts';
import { isHiddenPlace } from './folder-rules.ts';
import { type Ceilings, isEnforced, isInside } from './operator-limits.ts';
import { traceLinks } from './trace-links.ts';

/** The folder by which some session may change what a path leads to; undefined if none may. */
export type WritableAt = (path: string) => string | undefined;

/** For a server without limits: nothing is known of where sessions may write. */
export const nothingWritable: WritableAt = () => undefined;

export interface WritableOptions {
  readonly ceilings: Ceilings;
  readonly home: string;
  readonly codexHome: string;
  /** Those that sessions may write to. */
  readonly temporary: readonly string[];
}

/** Where sessions may write under the operator's limits. Without limits nothing is known of it. */
export async function findWritable({ ceilings, home, codexHome, temporary }: WritableOptions): Promise<WritableAt> {
  const { roots } = ceilings;
  const realHome = realFolder(home);
  const isClosed = ceilings.isConfined === true && roots.some((root) => isInside(root, realHome));
  if (!isEnforced(ceilings) || ceilings.maxSandbox === 'read-only' || isClosed) return nothingWritable;
  const { writableRoots } = await readUserConfig(codexHome, home);
  const always = [...temporary, ...writableRoots].map(realFolder);
  return (path) => {
    const places = traceLinks(path);
    const isReached = (folder: string) => places.some((place) => isInside(folder, place));
    const within = places.filter((place) => !isHiddenPlace(place, realHome, roots));
    return always.find(isReached) ?? roots.find((root) => within.some((place) => isInside(root, place)));
  };
}
