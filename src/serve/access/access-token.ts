import { checkOwnName } from '../../config/entry/entry-name.ts';
import { errorAt, pick, readBoolean, readNonEmptyString, readOneOf, readOptional } from '../../config/json/decode.ts';
import { formatJsonPath, type JsonValue } from '../../config/json/json-value.ts';
import type { Role } from '../fronts/http/principal.ts';
import { isTokenId } from './token-text.ts';

/** What the store keeps about a token: everything except the token itself. */
export interface AccessToken {
  readonly id: string;
  readonly name: string;
  readonly role: Role;
  /** The only view that the token may use. Undefined permits all. */
  readonly view: string | undefined;
  /** In milliseconds since the epoch. Undefined: never. */
  readonly expiresAt: number | undefined;
  readonly mayNameFolders: boolean;
  /** In milliseconds since the epoch. */
  readonly createdAt: number;
  /** As hex digits. */
  readonly sha256: string;
}

export const ROLES: readonly Role[] = ['use', 'read', 'admin'];

export function isExpired({ expiresAt }: Pick<AccessToken, 'expiresAt'>, now: number): boolean {
  return expiresAt !== undefined && expiresAt <= now;
}

/** Returns why this cannot be the name of a token; undefined for a valid one. */
export function checkTokenName(name: string): string | undefined {
  if (!NAME.test(name)) return 'use up to 64 letters, digits and . _ @ -, and begin with a letter or digit';
  return isTokenId(name) ? 'it looks like the id of a token' : undefined;
}

const NAME = /^[A-Za-z\d][\w.@-]{0,63}$/;

/** Throws `CONFIG_INVALID` with file and line if the value is not a valid token. */
export function decodeToken(value: JsonValue): AccessToken {
  return {
    id: readMatching(required(value, 'id'), /^[\da-f]{12}$/, '12 hex digits'),
    name: readName(required(value, 'name')),
    role: readOneOf(required(value, 'role'), ROLES),
    view: readOptional(value, readView, 'view'),
    expiresAt: readOptional(value, readDate, 'expires'),
    mayNameFolders: readOptional(value, readBoolean, 'mayNameFolders') ?? false,
    createdAt: readDate(required(value, 'createdAt')),
    sha256: readMatching(required(value, 'sha256'), /^[\da-f]{64}$/, '64 hex digits'),
  };
}

/** Returns the token in the file format. */
export function encodeToken({ expiresAt, createdAt, ...token }: AccessToken): Readonly<Record<string, unknown>> {
  const expires = expiresAt === undefined ? undefined : toDateText(expiresAt);
  return { ...token, expires, createdAt: toDateText(createdAt) };
}

export function toDateText(at: number): string {
  return new Date(at).toISOString();
}

function required(value: JsonValue, key: string): JsonValue {
  const found = pick(value, key);
  if (found === undefined) throw errorAt(value, `${formatJsonPath(value)} has no "${key}".`);
  return found;
}

function readName(value: JsonValue): string {
  return readValid(value, checkTokenName);
}

function readView(value: JsonValue): string {
  return readValid(value, checkOwnName);
}

function readValid(value: JsonValue, check: (name: string) => string | undefined): string {
  const name = readNonEmptyString(value);
  const fault = check(name);
  if (fault !== undefined) throw errorAt(value, `${formatJsonPath(value)} is not a valid name: ${fault}.`);
  return name;
}

function readMatching(value: JsonValue, pattern: RegExp, expected: string): string {
  const text = readNonEmptyString(value);
  if (!pattern.test(text)) throw errorAt(value, `${formatJsonPath(value)} must be ${expected}.`);
  return text;
}

function readDate(value: JsonValue): number {
  const at = Date.parse(readNonEmptyString(value));
  if (Number.isNaN(at)) throw errorAt(value, `${formatJsonPath(value)} must be a date such as 2026-01-31T12:00:00Z.`);
  return at;
}
