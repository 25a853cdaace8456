import type { ExactTexts } from '../exact.ts';
import { type JsonObject, toJson } from '../json.ts';
import type { Rewrite } from '../profile.ts';
import type { Reference } from './references.ts';
import { MAX_BYTES, type Thrift } from './thrift.ts';
import { ALL_TYPES, typesText } from './types.ts';

/** One schema on its way to text. The text grows in order: nothing is built that would be written later. */
export interface Writing {
  readonly root: JsonObject;
  readonly thrift: Thrift;
  readonly exact: ExactTexts;
  text: string;
  /** What stands before `text` or is kept for later. */
  lengthBefore: number;
  /** Codex gives every schema of objects its properties: even none count against the limit. */
  bytesAdded: number;
  /** Stands before the next member. */
  separator: '' | ',';
  /** The steps from the top of what was parsed to where the writing is. */
  path: string[];
  /** For a schema that is written at another place than where it stood. */
  readonly origins: Map<unknown, readonly string[]>;
  /** How many schemas around this one have an address of their own, from which their references count. */
  embedded: number;
  readonly references: Map<string, Reference>;
  /** Whether a reference to the top may stay: not when the top is written as something else. */
  topIsKept: boolean;
  readonly rewrites: Rewrite[];
  rewriteCount: number;
}

export interface Place {
  readonly depth: number;
  /** Of the property, if it is one: a title that repeats it tells nothing. */
  readonly name: string;
  /** What a value is already known to be where this schema is asked. */
  readonly known: readonly string[] | undefined;
}

export type WriteSchema = (writing: Writing, schema: unknown, place: Place) => void;

/** For what stands inside a schema. */
export interface Inner {
  readonly place: Place;
  readonly types: readonly string[] | undefined;
  readonly write: WriteSchema;
}

export type Start = Pick<Writing, 'root' | 'thrift' | 'exact'>;

export function startWriting(start: Start): Writing {
  return {
    ...start,
    text: '',
    lengthBefore: 0,
    bytesAdded: 0,
    separator: '',
    path: [],
    origins: new Map(),
    embedded: 0,
    references: new Map(),
    topIsKept: true,
    rewrites: [],
    rewriteCount: 0,
  };
}

/** Then whatever else is written is in vain: what is under way comes to its end as fast as it can. */
export function isFull(writing: Writing): boolean {
  return writing.lengthBefore + writing.text.length > MAX_BYTES;
}

/** What `write` writes, for the caller alone. */
export function capture(writing: Writing, write: () => void): string {
  const before = writing.text;
  writing.text = '';
  writing.lengthBefore += before.length;
  write();
  const captured = writing.text;
  writing.text = before;
  writing.lengthBefore -= before.length;
  return captured;
}

export function writeKey(writing: Writing, key: string, json: string): void {
  writing.text += `${writing.separator}"${key}":${json}`;
  writing.separator = ',';
}

export function note(writing: Writing, what: string, why: string): void {
  writing.rewriteCount++;
  if (writing.rewrites.length >= MAX_REWRITES || isFull(writing)) return;
  writing.rewrites.push({ path: writing.path.join('.'), what, why, isNarrowing: false });
}

const MAX_REWRITES = 100;

/**
 * Anything at all. Codex makes `items` of strings of a list without items, but takes `{}` for anything: the one schema
 * without a type, since a list of types for the items of the items would have no end.
 */
export function writeAnything(writing: Writing, description = ''): void {
  const told = description === '' ? '' : `"description":${JSON.stringify(description)},`;
  writing.text += `{"type":${EVERY_TYPE},${told}"items":{}}`;
  writing.separator = ',';
  writing.bytesAdded += PROPERTIES_ADDED;
}

const EVERY_TYPE = typesText(ALL_TYPES);
export const PROPERTIES_ADDED = '"properties":{},'.length;

/** The value of a keyword of the schema at which the writing is, with every digit of its numbers. */
export function valueText({ exact, path }: Writing, keyword: string, value: unknown): string | undefined {
  if (typeof value === 'string' || typeof value === 'boolean' || !exact.hasOddNumbers()) return toJson(value);
  return exact.at([...path, keyword]);
}
