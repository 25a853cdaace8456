import type { ConfigFile, FileEntry } from '../files/config-file.ts';
import type { Environment } from '../files/folders.ts';
import { toProblem } from '../problem.ts';
import type { ConfigProblem } from '../server-entry.ts';
import type { FileView } from '../views/read-views.ts';
import { fingerprint, viewFingerprint } from './fingerprint.ts';
import { readTrustStore, type TrustStore, trustFile } from './trust-store.ts';

export interface TrustCheck {
  isTrusted(file: ConfigFile, entry: FileEntry): boolean;
  isTrustedView(file: ConfigFile, view: FileView): boolean;
  readonly problems: readonly ConfigProblem[];
}

/**
 * Opens the trust check. If the store cannot be used, no project entry is trusted, and a problem contains the reason.
 */
export function openTrustCheck(environment: Environment): TrustCheck {
  try {
    return { ...createTrustCheck(readTrustStore(trustFile(environment))), problems: [] };
  } catch (error) {
    return { ...createTrustCheck(undefined), problems: [toProblem(error)] };
  }
}

export function createTrustCheck(store: TrustStore | undefined): Omit<TrustCheck, 'problems'> {
  const known = new Set(store?.records.map((record) => record.fingerprint));
  const isKnown = ({ source }: ConfigFile, compute: (key: Buffer) => string | undefined) => {
    if (!source.needsTrust) return true;
    const found = store === undefined ? undefined : compute(store.key);
    return found !== undefined && known.has(found);
  };
  return {
    isTrusted: (file, entry) => isKnown(file, (key) => fingerprint(key, file, entry)),
    isTrustedView: (file, view) => isKnown(file, (key) => viewFingerprint(key, file, view)),
  };
}
