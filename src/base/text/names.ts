import { sha256 } from '../digest.ts';
import { neutralise } from './safe-text.ts';

/** A name made of `A-Z a-z 0-9 _ -` alone, and never empty: each run of anything else becomes one `_`. */
export function cleanName(raw: string): string {
  return neutralise(raw).replace(/[^A-Za-z0-9_-]+/g, '_') || '_';
}

/** Tells apart what looks alike after cleaning or cutting: 8 hex digits of sha256 over the id, NUL and the raw name. */
export function hash8(id: string, raw: string): string {
  const text = `${id}\0${raw}`.replace(LONE_SURROGATE, (half) => `\0${half.charCodeAt(0)}`);
  return sha256(text).slice(0, 8);
}

/** UTF-8 has only one way to write all of them. */
const LONE_SURROGATE = /\p{Surrogate}/gu;
