import { cut } from '../../../base/text/truncate.ts';
import type { ExactTexts } from '../../json/exact-text.ts';
import { type JsonObject, quote, toJson } from '../json.ts';
import type { Rewrite } from '../profile.ts';
import type { Reference } from './references.ts';
import type { Thrift } from './size-budget.ts';
import { EVERY_TYPE_HEAD } from './types.ts';

/** One schema on its way to text. The text grows in order: nothing is built that would be written later. */
export interface Writing {
  readonly root: JsonObject;
  readonly thrift: Thrift;
  /** At this depth only the type of a schema is written. */
  maxDepth: number;
  readonly exact: ExactTexts;
  /** For what stands inside a schema. */
  readonly write: WriteSchema;
  text: string;
  /** What stands before `text` or is kept for later. */
  lengthBefore: number;
  /** Whether a single part was found that is too large by itself. */
  isOver: boolean;
  /** Codex gives every schema of objects its properties: even none count against the limit. */
  bytesAdded: number;
  /** Stands before the next member. */
  separator: '' | ',';
  /** The steps from the top of what was parsed to where the writing is, and how many of them count. */
  path: string[];
  pathLength: number;
  /** For a schema that is written at another place than where it stood. */
  origins: Map<unknown, readonly string[]> | undefined;
  /** How many schemas around this one have an address of their own, from which their references count. */
  embedded: number;
  /** In the order in which they were met. It grows while it is worked off. */
  readonly references: Reference[];
  /** What was written for a reference before. */
  referred: Map<string, string> | undefined;
  /** Whether a reference to the top may stay: not when the top is written as something else. */
  topIsKept: boolean;
  /** Whether the whole may be nested deeper than Codex reads. */
  mayBeDeep: boolean;
  readonly rewrites: Rewrite[] | undefined;
  rewriteCount: number;
}

export interface Place {
  readonly depth: number;
  /** What a value is already known to be where this schema is asked. */
  readonly known: readonly string[] | undefined;
}

type WriteSchema = (writing: Writing, schema: unknown, place: Place) => void;

export interface Start {
  readonly root: JsonObject;
  readonly thrift: Thrift;
  readonly exact: ExactTexts;
  readonly write: WriteSchema;
  /** Whether every rewrite is told: a list of tools needs none of them. */
  readonly isTold: boolean;
}

/** Every member is written out: this is done for every tool of every list. */
export function startWriting({ root, thrift, exact, write, isTold }: Start): Writing {
  return {
    root,
    thrift,
    maxDepth: thrift.maxDepth,
    exact,
    write,
    text: '',
    lengthBefore: 0,
    isOver: false,
    bytesAdded: 0,
    separator: '',
    path: [],
    pathLength: 0,
    origins: undefined,
    embedded: 0,
    references: [],
    referred: undefined,
    topIsKept: true,
    mayBeDeep: false,
    rewrites: isTold ? [] : undefined,
    rewriteCount: 0,
  };
}

/** Then whatever else is written is in vain: what is under way comes to its end as fast as it can. */
export function isFull(writing: Writing): boolean {
  return writing.isOver || writing.lengthBefore + writing.text.length > writing.thrift.maxBytes;
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

/** `detail` follows what was done, if anybody wants to know. */
export function note(writing: Writing, what: string, why: string, detail = ''): void {
  writing.rewriteCount++;
  const { rewrites } = writing;
  if (rewrites === undefined || rewrites.length >= MAX_REWRITES || isFull(writing)) return;
  rewrites.push({ path: pathOf(writing).join('.'), what: what + cut(detail, MAX_DETAIL), why, isNarrowing: false });
}

const MAX_REWRITES = 100;
const MAX_DETAIL = 200;

/**
 * A schema that allows anything, with its types if there is room. For an array without `items` Codex assumes strings, but
 * it reads `{}` as anything. So `{}` is the only schema without a type: a list of types for items of items would never end.
 */
export function writeAnything(writing: Writing, description = ''): void {
  if (writing.thrift.isTerse && description === '') {
    writing.text += '{}';
    writing.separator = ',';
    return;
  }
  const told = description === '' ? '' : `"description":${quote(description)},`;
  writing.text += `${EVERY_TYPE_HEAD},${told}"items":{}}`;
  writing.separator = ',';
  writing.bytesAdded += PROPERTIES_ADDED;
}

/** Whether this is all that was written for a schema: then it allows anything and says nothing. */
export function isAnything(text: string): boolean {
  return text === '{}' || text === ANYTHING;
}

const ANYTHING = `${EVERY_TYPE_HEAD},"items":{}}`;

export const PROPERTIES_ADDED = '"properties":{},'.length;

function pathOf({ path, pathLength }: Writing): string[] {
  return path.slice(0, pathLength);
}

/** The name of the property at which the writing is, if it is at one. */
export function lastStep({ path, pathLength }: Writing): string {
  return path[pathLength - 1] ?? '';
}

/** Goes to a schema inside this one. A list that never shrinks: this is done for every schema. */
export function enter(writing: Writing, keyword: string, step?: string): void {
  writing.path[writing.pathLength++] = keyword;
  if (step !== undefined) writing.path[writing.pathLength++] = step;
}

/** Goes back by so many steps. */
export function leave(writing: Writing, steps: number): void {
  writing.pathLength -= steps;
}

/** The value of a keyword of the schema at which the writing is, with every digit of its numbers. */
export function valueText(writing: Writing, keyword: string, value: unknown): string | undefined {
  if (typeof value === 'string') return quote(value);
  if (typeof value === 'boolean' || value === null) return String(value);
  if (typeof value === 'number' && Math.abs(value) < MAX_EXACT && keyword !== 'const') return String(value);
  const flat = Array.isArray(value) ? toFlatList(value) : undefined;
  if (flat !== undefined) return flat;
  if (!writing.exact.hasOddNumbers()) return toJson(value);
  return writing.exact.at([...pathOf(writing), keyword]);
}

/** Most lists of values are short and plain, and then this is the fastest way. Undefined for all others. */
function toFlatList(values: readonly unknown[]): string | undefined {
  let text = '';
  for (const value of values) {
    if (text !== '') text += ',';
    if (typeof value === 'string') text += quote(value);
    else if (value === null || typeof value === 'boolean' || Number.isSafeInteger(value)) text += String(value);
    else return undefined;
  }
  return `[${text}]`;
}

/** In words, 1.0 may be 1. */
const MAX_EXACT = 2 ** 53;
