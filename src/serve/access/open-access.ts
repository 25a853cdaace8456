import { isDeepStrictEqual } from 'node:util';
import { callSafely } from '../../base/call-safely.ts';
import { messageOf } from '../../base/errors.ts';
import { errnoOf } from '../../base/files/errno.ts';
import { readFileSignature } from '../../base/files/file-signature.ts';
import type { Environment } from '../../config/files/folders.ts';
import type { Access, Principal } from '../fronts/http/principal.ts';
import { type AccessToken, isExpired } from './access-token.ts';
import { bearerToken } from './bearer-token.ts';
import { openTokenStore, type TokenStore } from './token-store.ts';
import { comparable, matchesHash, tokenIdOf } from './token-text.ts';

/** Access with the tokens of the store. Must be closed. */
export interface TokenAccess extends Access {
  /** Idempotent. No callback runs afterward. */
  close(): void;
}

export interface AccessOptions {
  readonly environment: Environment;
  /** Called with a sentence to display when the tokens can no longer be read. */
  readonly onProblem: (message: string) => void;
}

/**
 * Opens the tokens of this user for a server. Throws `CONFIG_INVALID` if their file is damaged or has a newer version.
 * Notices within about a second that a token was revoked or has expired. Never keeps the process alive.
 */
export function openAccess({ environment, onProblem }: AccessOptions): TokenAccess {
  return new StoredTokenAccess(openTokenStore(environment), onProblem);
}

/** How long a revoked token may still work. */
const CHECK_MS = 1000;
/** How many checks later the calls and streams end if the file stays damaged. */
const MAX_CHECKS_WHILE_SUSPENDED = 5;

interface KnownToken {
  readonly token: AccessToken;
  readonly hash: Buffer;
  /** The same object as long as the token stays the same. */
  readonly principal: Principal;
}

class StoredTokenAccess implements TokenAccess {
  readonly #store: TokenStore;
  readonly #onProblem: (message: string) => void;
  readonly #callbacks = new Set<(tokenId: string) => void>();
  readonly #timer: NodeJS.Timeout;
  /** All tokens that have not expired, by id. */
  #known: ReadonlyMap<string, KnownToken> = new Map();
  /** The tokens before the file was damaged, while their calls and streams continue. */
  #suspended: ReadonlyMap<string, KnownToken> | undefined;
  #checksWhileSuspended = 0;
  #signature = '';
  #reported: string | undefined;

  constructor(store: TokenStore, onProblem: (message: string) => void) {
    this.#store = store;
    this.#onProblem = onProblem;
    this.#signature = readFileSignature(store.file);
    this.#replace(store.readAll());
    this.#timer = setInterval(() => this.#check(), CHECK_MS).unref();
  }

  authenticate(authorization: string | undefined): Principal | undefined {
    const text = bearerToken(authorization);
    const id = text === undefined ? undefined : tokenIdOf(text);
    if (text === undefined || id === undefined) return undefined;
    // A token that was just created works at once.
    if (!this.#known.has(id)) this.#reload();
    const known = this.#known.get(id);
    if (known === undefined || !matchesHash(text, known.hash)) return undefined;
    return isExpired(known.token, Date.now()) ? undefined : known.principal;
  }

  onRevoked(callback: (tokenId: string) => void): () => void {
    this.#callbacks.add(callback);
    return () => void this.#callbacks.delete(callback);
  }

  close(): void {
    clearInterval(this.#timer);
    this.#callbacks.clear();
  }

  #check(): void {
    this.#reload();
    if (this.#suspended !== undefined && ++this.#checksWhileSuspended > MAX_CHECKS_WHILE_SUSPENDED)
      this.#revokeSuspended();
    const now = Date.now();
    const known = [...this.#known.values()].map(({ token }) => token);
    if (known.some((token) => isExpired(token, now))) this.#replace(known);
  }

  /** Reads the file again if it has changed. */
  #reload(): void {
    const signature = readFileSignature(this.#store.file);
    if (signature === this.#signature) return;
    try {
      const tokens = this.#store.readAll();
      this.#signature = signature;
      this.#reported = undefined;
      this.#replace(tokens);
    } catch (error) {
      this.#fail(error, signature);
    }
  }

  /** A damaged file permits nobody: it may have been edited to revoke a token. A failed read is tried again. */
  #fail(error: unknown, signature: string): void {
    const isDamaged = errnoOf(error instanceof Error ? error.cause : undefined) === undefined;
    if (isDamaged) {
      this.#signature = signature;
      this.#suspend();
    }
    const consequence = isDamaged ? 'No token is accepted until it can be read.' : 'The known tokens stay valid.';
    const message = `${messageOf(error)} ${consequence}`;
    if (message === this.#reported) return;
    this.#reported = message;
    this.#onProblem(message);
  }

  /** Accepts no token until the file can be read. Running calls and streams continue for a moment, as it may be rewritten. */
  #suspend(): void {
    this.#suspended ??= this.#known;
    this.#checksWhileSuspended = 0;
    this.#known = new Map();
  }

  #revokeSuspended(): void {
    for (const id of this.#suspended?.keys() ?? []) this.#reportRevoked(id);
    this.#suspended = undefined;
  }

  /** Ends the use of every token that is gone, has expired or permits something else than before. */
  #replace(tokens: readonly AccessToken[]): void {
    const now = Date.now();
    const before = this.#suspended ?? this.#known;
    this.#suspended = undefined;
    const usable = tokens.filter((token) => !isExpired(token, now));
    this.#known = new Map(usable.map((token) => [token.id, keepIfSame(before.get(token.id), token)]));
    for (const [id, known] of before) if (this.#known.get(id) !== known) this.#reportRevoked(id);
  }

  #reportRevoked(id: string): void {
    for (const callback of this.#callbacks) callSafely(() => callback(id));
  }
}

function keepIfSame(known: KnownToken | undefined, token: AccessToken): KnownToken {
  if (known !== undefined && isDeepStrictEqual(known.token, token)) return known;
  const { id, name, role, view, mayNameFolders } = token;
  const principal = { tokenId: id, name, role, view, mayNameFolders };
  return { token, hash: comparable(token.sha256), principal };
}
