import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { isObject, type JsonObject } from '../../../wire/messages.ts';

/** What a sealed id is bound to. An id is valid only where all of this is equal. */
export interface SealContext {
  readonly journalId: string;
  readonly tokenId: string;
  readonly path: string;
}

/** Longer ids would exceed the header limits of proxies. */
export const MAX_ID_CHARS = 2048;

/**
 * Seals a value into a session id: encrypted and authenticated with AES-256-GCM, so that a client can neither read nor
 * change it. The random nonce makes each id unique. Returns undefined if the id would be too long.
 */
export function sealSessionId(value: JsonObject, key: Buffer, context: SealContext): string | undefined {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(ALGORITHM, key, nonce).setAAD(contextBytes(context));
  const sealed = Buffer.concat([cipher.update(JSON.stringify(value), 'utf8'), cipher.final()]);
  const id = Buffer.concat([nonce, sealed, cipher.getAuthTag()]).toString('base64url');
  return id.length <= MAX_ID_CHARS ? id : undefined;
}

/** Returns the value in an id. Undefined for an id that was made up, changed, or sealed elsewhere. */
export function openSessionId(id: string, key: Buffer, context: SealContext): JsonObject | undefined {
  if (id.length > MAX_ID_CHARS || !/^[\w-]+$/.test(id)) return undefined;
  const bytes = Buffer.from(id, 'base64url');
  // Several texts decode to the same bytes. Only one of them is the id that was given out.
  if (bytes.length < NONCE_BYTES + TAG_BYTES || bytes.toString('base64url') !== id) return undefined;
  const decipher = createDecipheriv(ALGORITHM, key, bytes.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES });
  decipher.setAAD(contextBytes(context)).setAuthTag(bytes.subarray(-TAG_BYTES));
  try {
    const sealed = bytes.subarray(NONCE_BYTES, -TAG_BYTES);
    const value: unknown = JSON.parse(Buffer.concat([decipher.update(sealed), decipher.final()]).toString('utf8'));
    return isObject(value) ? value : undefined;
  } catch {
    // The tag does not match: the id is not ours, or not for this client.
    return undefined;
  }
}

const ALGORITHM = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

function contextBytes({ journalId, tokenId, path }: SealContext): Buffer {
  return Buffer.from(JSON.stringify(['switchboard-session-1', journalId, tokenId, path]));
}
