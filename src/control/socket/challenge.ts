import { unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { randomHex } from '../../base/digest.ts';
import { isOwnedByUser, lstatIfExists } from './socket-paths.ts';

/**
 * Distinguishes a process that may write to the folder of the socket from one that can only connect to it, such as a
 * command in a sandbox with network access. A process that wants to call servers must first create a file in that
 * folder under a name that we choose.
 */
export interface Challenge {
  /** Returns the name of the file to create. Each call chooses a new name and invalidates the previous one. */
  issue(): string;
  /** Returns whether `name` was issued and the file exists. Removes the file, so that it counts only once. */
  isMet(name: unknown): boolean;
  /** Removes the issued file if it was created and never used. */
  withdraw(): void;
}

export function createChallenge(folder: string): Challenge {
  let issued: string | undefined;
  const withdraw = () => {
    if (issued !== undefined) remove(join(folder, issued));
    issued = undefined;
  };
  return {
    issue() {
      withdraw();
      issued = `${randomHex(16)}${ENDING}`;
      return issued;
    },
    isMet(name) {
      const isThere = issued !== undefined && name === issued && isOwnFile(join(folder, issued));
      withdraw();
      return isThere;
    },
    withdraw,
  };
}

/** Returns whether `name` has the format of a proof file name. */
export function isProofName(name: string): boolean {
  return PROOF_NAME.test(name);
}

/** Removes a proof file left behind by a process that exited, but none recent enough to be still in use. */
export function removeStaleProof(path: string, now: number): void {
  const stats = lstatIfExists(path);
  if (stats?.isFile() === true && isOwnedByUser(stats) && now - stats.mtimeMs > STALE_AFTER_MS) remove(path);
}

/** Far longer than the time between a challenge and its proof. */
const STALE_AFTER_MS = 60_000;
const ENDING = '.proof';
const PROOF_NAME = /^[0-9a-f]{32}\.proof$/;

function isOwnFile(path: string): boolean {
  try {
    const stats = lstatIfExists(path);
    return stats?.isFile() === true && isOwnedByUser(stats);
  } catch {
    // A file that cannot be inspected proves nothing.
    return false;
  }
}

function remove(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    // The file was never created, or was already removed.
  }
}
