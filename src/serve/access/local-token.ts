import { rmSync } from 'node:fs';
import { writeFileAtomic } from '../../base/write-file-atomic.ts';
import { dataFile, type Environment } from '../../config/files/folders.ts';
import { readSmallFile } from '../../config/files/small-file.ts';
import type { AccessToken } from './access-token.ts';
import { newToken, openTokenStore, type TokenSettings, withoutText } from './token-store.ts';
import { comparable, matchesHash, tokenIdOf } from './token-text.ts';

/** The name of the token that belongs to this user's own programs. Nobody can create another one with this name. */
export const LOCAL_TOKEN_NAME = 'local';

/** Returns the file with the text of the local token, which only this user can read. */
export function localTokenFile(environment: Environment): string {
  return dataFile(environment, 'http-token');
}

/**
 * Creates the token for this user's own programs when the first HTTP server starts, and again after it was revoked or
 * its file was lost. Returns whether it did.
 */
export function ensureLocalToken(environment: Environment): Promise<boolean> {
  const file = localTokenFile(environment);
  return openTokenStore(environment).update((tokens) => {
    const known = tokens.find(({ name }) => name === LOCAL_TOKEN_NAME);
    if (known !== undefined && isTextOf(known, readLocalToken(file))) return { tokens: undefined, result: false };
    const created = newToken(SETTINGS);
    // The file first: if this process is killed now, the next start finds a text without a token and replaces it.
    writeFileAtomic(file, `${created.token}\n`, { isDurable: true });
    return { tokens: [...tokens.filter((token) => token !== known), withoutText(created)], result: true };
  });
}

/** Removes the file after the token was revoked. */
export function removeLocalTokenFile(environment: Environment): void {
  rmSync(localTokenFile(environment), { force: true });
}

/** Changing settings needs more than a token that ends up in the files of clients. */
const SETTINGS: TokenSettings = {
  name: LOCAL_TOKEN_NAME,
  role: 'use',
  view: undefined,
  expiresAt: undefined,
  mayNameFolders: true,
};

function isTextOf({ id, sha256 }: AccessToken, text: string): boolean {
  return tokenIdOf(text) === id && matchesHash(text, comparable(sha256));
}

function readLocalToken(file: string): string {
  try {
    return readSmallFile(file)?.bytes.toString('utf8').trim() ?? '';
  } catch {
    // Unreadable: the token is replaced.
    return '';
  }
}
