import { hash, randomBytes, timingSafeEqual } from 'node:crypto';

/**
 * The text of a token: `swb_<id>_<secret>`. The id is public and finds the token in the store. The secret has 256
 * random bits, so a plain hash is enough to store it: nobody can guess it.
 */
export interface NewToken {
  readonly id: string;
  /** The whole text, which only its owner ever has. */
  readonly token: string;
  readonly sha256: string;
}

export function generateToken(): NewToken {
  const id = randomBytes(ID_DIGITS / 2).toString('hex');
  const token = `${PREFIX}${id}_${randomBytes(SECRET_DIGITS / 2).toString('hex')}`;
  return { id, token, sha256: hash('sha256', token) };
}

/** Returns the id in a token; undefined for any other text. */
export function tokenIdOf(text: string): string | undefined {
  if (text.length !== LENGTH || !TOKEN.test(text)) return undefined;
  return text.slice(PREFIX.length, PREFIX.length + ID_DIGITS);
}

/** Returns whether a text looks like the id of a token. */
export function isTokenId(text: string): boolean {
  return text.length === ID_DIGITS && /^[\da-f]+$/.test(text);
}

/** Returns the form of a stored SHA-256 that `matchesHash` compares with. */
export function comparable(sha256: string): Buffer {
  return Buffer.from(sha256, 'latin1');
}

/** Compares in constant time. Called for every request: with `createHash`, it would take twice as long. */
export function matchesHash(token: string, expected: Buffer): boolean {
  scratch.write(hash('sha256', token), 'latin1');
  return timingSafeEqual(scratch, expected);
}

/** Holds the hex digits of one hash during one comparison. */
const scratch = Buffer.alloc(64);

const PREFIX = 'swb_';
const ID_DIGITS = 12;
const SECRET_DIGITS = 64;
const LENGTH = PREFIX.length + ID_DIGITS + 1 + SECRET_DIGITS;
const TOKEN = /^swb_[\da-f]{12}_[\da-f]{64}$/;
