import { unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { randomHex } from '../../base/digest.ts';
import { isOwnedByUser, lstatIfExists } from './socket-paths.ts';

/**
 * Tells a process that may write to the folder of the socket from one that can only connect to it, such as a command in a
 * sandbox with network access: whoever wants to call servers must create a file there under a name that we choose.
 */
export interface Challenge {
  /** The name of the file. Each call chooses another one, and the one before no longer counts. */
  issue(): string;
  /** Whether the file of this name was asked for and is there. Removes it, so that it counts once. */
  isMet(name: unknown): boolean;
  /** Removes a file that was created and never used. */
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

/** Whether this is the name of such a file. */
export function isProofName(name: string): boolean {
  return PROOF_NAME.test(name);
}

/** Removes one that was left by processes that died, and none that somebody may be about to use. */
export function removeStaleProof(path: string, now: number): void {
  const stats = lstatIfExists(path);
  if (stats?.isFile() === true && isOwnedByUser(stats) && now - stats.mtimeMs > STALE_AFTER_MS) remove(path);
}

/** Far more than there is between the challenge and its answer. */
const STALE_AFTER_MS = 60_000;
const ENDING = '.proof';
const PROOF_NAME = /^[0-9a-f]{32}\.proof$/;

function isOwnFile(path: string): boolean {
  try {
    const stats = lstatIfExists(path);
    return stats?.isFile() === true && isOwnedByUser(stats);
  } catch {
    // What cannot be looked at proves nothing.
    return false;
  }
}

function remove(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    // It was never created, or is gone already.
  }
}
