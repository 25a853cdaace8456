import { sha256 } from '../digest.ts';
import { neutralize } from './safe-text.ts';

/** Returns a name of `A-Z a-z 0-9 _ -` only, never empty: each run of other characters becomes one `_`. */
export function cleanName(raw: string): string {
  return neutralize(raw).replace(/[^A-Za-z0-9_-]+/g, '_') || '_';
}

/** Distinguishes names that are equal once cleaned or truncated: 8 hex digits of sha256 over id, NUL and raw name. */
export function hash8(id: string, raw: string): string {
  const text = `${id}\0${raw}`.replace(LONE_SURROGATE, (half) => `\0${half.charCodeAt(0)}`);
  return sha256(text).slice(0, 8);
}

/** UTF-8 encodes all lone surrogates as the same replacement character. */
const LONE_SURROGATE = /\p{Surrogate}/gu;
