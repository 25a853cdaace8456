import type { ConfigFile, FileEntry } from '../files/config-file.ts';
import type { Environment } from '../files/folders.ts';
import { toProblem } from '../problem.ts';
import type { ConfigProblem } from '../server-entry.ts';
import { fingerprint } from './fingerprint.ts';
import { readTrustStore, type TrustStore, trustFile } from './trust-store.ts';

export interface TrustCheck {
  isTrusted(file: ConfigFile, entry: FileEntry): boolean;
  readonly problems: readonly ConfigProblem[];
}

/**
 * Opens the trust check. If the store cannot be used, no project entry is trusted, and a problem contains the reason.
 */
export function openTrustCheck(environment: Environment): TrustCheck {
  try {
    return { isTrusted: createTrustCheck(readTrustStore(trustFile(environment))), problems: [] };
  } catch (error) {
    return { isTrusted: createTrustCheck(undefined), problems: [toProblem(error)] };
  }
}

export function createTrustCheck(store: TrustStore | undefined): TrustCheck['isTrusted'] {
  const known = new Set(store?.records.map((record) => record.fingerprint));
  return (file, entry) => {
    if (!file.source.needsTrust) return true;
    const found = store === undefined ? undefined : fingerprint(store.key, file, entry);
    return found !== undefined && known.has(found);
  };
}
