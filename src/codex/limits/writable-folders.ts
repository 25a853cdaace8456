import { realPathOf } from '../real-folder.ts';
import { readUserConfig } from '../settings/user-config.ts';
import { isHiddenInHome } from './folder-rules.ts';
import { enforcesLimits, isInside, type OperatorLimits } from './operator-limits.ts';
import { traceLinks } from './trace-links.ts';

/** Finds the folder through which a session may change what a path leads to. Returns undefined if there is none. */
export type FindWritableFolder = (path: string) => string | undefined;

/** For a server without limits, where it is unknown which folders sessions may write to. */
export const nothingWritable: FindWritableFolder = () => undefined;

export interface WritableOptions {
  readonly operatorLimits: OperatorLimits;
  readonly home: string;
  readonly codexHome: string;
  /** The temporary folders that sessions may write to. */
  readonly tempFolders: readonly string[];
}

/** Creates a finder for the folders that sessions may write to under limits. Without limits they are unknown. */
export async function createWritableFolderFinder({
  operatorLimits,
  home,
  codexHome,
  tempFolders,
}: WritableOptions): Promise<FindWritableFolder> {
  const { roots } = operatorLimits;
  const realHome = realPathOf(home);
  const isClosed = operatorLimits.isConfined === true && roots.some((root) => isInside(root, realHome));
  if (!enforcesLimits(operatorLimits) || operatorLimits.maxSandbox === 'read-only' || isClosed) return nothingWritable;
  const { writableRoots } = await readUserConfig(codexHome, home);
  const always = [...tempFolders, ...writableRoots].map(realPathOf);
  return (path) => {
    const chain = traceLinks(path);
    const isReached = (folder: string) => chain.some((link) => isInside(folder, link));
    const within = chain.filter((link) => !isHiddenInHome(link, realHome, roots));
    return always.find(isReached) ?? roots.find((root) => within.some((link) => isInside(root, link)));
  };
}
