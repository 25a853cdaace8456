import { isDeepStrictEqual } from 'node:util';
import { pick, readObject } from '../json/decode.ts';
import { childOf, type JsonValue } from '../json/json-value.ts';
import type { NotCarried } from './foreign-server.ts';

/** The keys of one server. Remembers which keys were used, so that no key is lost without notice. */
export interface Fields {
  readonly value: JsonValue;
  /**
   * Decodes the first of these keys that is present, and marks them all as used. `null` counts as absent. Reports the
   * others if they have another value.
   */
  take<T>(read: (found: JsonValue) => T, ...keys: readonly string[]): T | undefined;
  /** Opens an object under a key; undefined if there is none. Its unused keys are reported with this key before them. */
  open(key: string): Fields | undefined;
  has(key: string): boolean;
  /** Reports a key as not carried, if it is present. */
  drop(key: string, reason: string): void;
  /** Reports something about a key that was used. */
  note(key: string, reason: string): void;
  /** Returns everything that was reported, and each unused key. */
  notCarried(reason?: string): readonly NotCarried[];
}

export function openFields(value: JsonValue, prefix = ''): Fields {
  const object = readObject(value);
  const used = new Set<string>();
  const notes: NotCarried[] = [];
  const inner: Fields[] = [];
  const has = (key: string) => Object.hasOwn(object, key) && object[key] !== null && object[key] !== undefined;
  const note = (key: string, reason: string) => void notes.push({ key: `${prefix}${key}`, reason });
  return {
    value,
    has,
    note,
    take(read, ...keys) {
      for (const key of keys) used.add(key);
      const [first = '', ...others] = keys.filter(has);
      for (const key of others)
        if (!isDeepStrictEqual(object[key], object[first])) note(key, `${first} is used instead`);
      const found = pick(value, ...keys);
      return found === undefined ? undefined : read(found);
    },
    open(key) {
      used.add(key);
      if (!has(key)) return undefined;
      const opened = openFields(childOf(value, key), `${prefix}${key}.`);
      inner.push(opened);
      return opened;
    },
    drop(key, reason) {
      used.add(key);
      if (has(key)) note(key, reason);
    },
    notCarried: (reason = NO_SUCH_SETTING) => [
      ...notes,
      ...inner.flatMap((fields) => fields.notCarried(reason)),
      ...Object.keys(object)
        .filter((key) => !used.has(key) && has(key))
        .map((key) => ({ key: `${prefix}${key}`, reason })),
    ],
  };
}

const NO_SUCH_SETTING = 'Switchboard has no such setting';
