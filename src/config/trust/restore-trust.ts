import type { Environment } from '../files/folders.ts';
import { linkedFolder } from './fingerprint.ts';
import { isSameFile, type TrustedFile } from './trust-record.ts';
import type { TrustReview } from './trust-review.ts';
import { changeTrustStore, readTrustStore, type TrustRecord, trustFile } from './trust-store.ts';

/** A config file of a project, and the current trust in its entries. */
export interface FileTrust extends TrustedFile {
  readonly records: readonly TrustRecord[];
}

/** Returns the trust that accepting a review would replace. */
export function currentTrust({ files }: Pick<TrustReview, 'files'>, environment: Environment): readonly FileTrust[] {
  const records = readTrustStore(trustFile(environment))?.records ?? [];
  return files.map((file) => {
    const folder = linkedFolder(file);
    const trusted = { file: file.realPath, ...(folder === undefined ? {} : { folder }) };
    return { ...trusted, records: records.filter((record) => isSameFile(trusted, record)) };
  });
}

/** Replaces the trust in these files by an earlier one. */
export function restoreTrust(earlier: readonly FileTrust[], environment: Environment): void {
  const storeFile = trustFile(environment);
  if (readTrustStore(storeFile) === undefined) return;
  changeTrustStore(storeFile, ({ records }) => [
    ...records.filter((record) => !earlier.some((file) => isSameFile(file, record))),
    ...earlier.flatMap((file) => file.records),
  ]);
}
