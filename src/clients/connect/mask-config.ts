import { createRedact, type Redact } from '../../base/redaction/redact.ts';
import { passwordInUrl } from '../../config/secrets/credential-parts.ts';
import { secretsInArgument, secretsInUrl } from '../../config/secrets/masked-value.ts';
import { isObject } from '../../wire/messages.ts';

/** Returns a function that masks the secrets of a client's config in any part of its text. */
export function createConfigMask(...contents: readonly unknown[]): Redact {
  return createRedact(new Set(contents.flatMap((content) => secretsIn(content, 0))));
}

/** Keys whose values may all be secrets, in the formats of all clients. */
const SECRET_CONTAINERS = new Set(['env', 'environment', 'headers', 'http_headers', 'requestInit', 'auth', 'oauth']);
const MAX_DEPTH = 12;

function secretsIn(value: unknown, depth: number): readonly string[] {
  if (depth > MAX_DEPTH) return [];
  if (typeof value === 'string') return [...secretsInUrl(value), ...passwordInUrl(value)];
  if (Array.isArray(value)) return value.flatMap((item, at) => secretsInItem(item, value[at - 1], depth + 1));
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([key, member]) =>
    SECRET_CONTAINERS.has(key) ? stringsIn(member, depth + 1) : secretsIn(member, depth + 1),
  );
}

/** Lists of texts are command lines. */
function secretsInItem(item: unknown, before: unknown, depth: number): readonly string[] {
  const inArgument = typeof item === 'string' ? secretsInArgument(item, before) : [];
  return [...inArgument.filter((value) => !isReference(value)), ...secretsIn(item, depth)];
}

function stringsIn(value: unknown, depth: number): readonly string[] {
  if (typeof value === 'string') return isReference(value) ? [] : [value];
  if (typeof value !== 'object' || value === null || depth > MAX_DEPTH) return [];
  return Object.values(value).flatMap((member: unknown) => stringsIn(member, depth + 1));
}

/** The name of a variable is no secret: `${TOKEN}`, `${env:TOKEN}`, `{env:TOKEN}`, `$TOKEN`. */
function isReference(value: string): boolean {
  return /^(?:\$?\{[\w:.-]+\}|\$\w+)$/.test(value);
}
