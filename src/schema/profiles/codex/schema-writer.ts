import { truncate } from '../../../base/text/truncate.ts';
import type { ExactTexts } from '../../json/exact-text.ts';
import { type JsonObject, quote, toJson } from '../json.ts';
import type { Rewrite } from '../profile.ts';
import type { Reference } from './references.ts';
import type { SizeBudget } from './size-budget.ts';
import { EVERY_TYPE_HEAD } from './types.ts';

/** One schema on its way to text. The text grows in order: nothing is built that would be written later. */
export interface SchemaWriter {
  readonly root: JsonObject;
  readonly budget: SizeBudget;
  /** At this depth only the type of a schema is written. */
  maxDepth: number;
  readonly exact: ExactTexts;
  /** For what stands inside a schema. */
  readonly write: WriteSchema;
  text: string;
  /** What stands before `text` or is kept for later. */
  lengthBefore: number;
  /** Whether a single part was found that is too large by itself. */
  hasOversizedPart: boolean;
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
  referenceTexts: Map<string, string> | undefined;
  /** Whether a reference to the top may stay: not when the top is written as something else. */
  topIsKept: boolean;
  /** Whether the whole may be nested deeper than Codex reads. */
  mayBeDeep: boolean;
  readonly rewrites: Rewrite[] | undefined;
  rewriteCount: number;
}

export interface SchemaContext {
  readonly depth: number;
  /** What a value is already known to be where this schema is asked. */
  readonly knownTypes: readonly string[] | undefined;
}

type WriteSchema = (writer: SchemaWriter, schema: unknown, place: SchemaContext) => void;

export interface WriterOptions {
  readonly root: JsonObject;
  readonly budget: SizeBudget;
  readonly exact: ExactTexts;
  readonly write: WriteSchema;
  /** Whether every rewrite is told: a list of tools needs none of them. */
  readonly recordsRewrites: boolean;
}

/** Every member is written out: this is done for every tool of every list. */
export function createSchemaWriter({ root, budget, exact, write, recordsRewrites }: WriterOptions): SchemaWriter {
  return {
    root,
    budget,
    maxDepth: budget.maxDepth,
    exact,
    write,
    text: '',
    lengthBefore: 0,
    hasOversizedPart: false,
    bytesAdded: 0,
    separator: '',
    path: [],
    pathLength: 0,
    origins: undefined,
    embedded: 0,
    references: [],
    referenceTexts: undefined,
    topIsKept: true,
    mayBeDeep: false,
    rewrites: recordsRewrites ? [] : undefined,
    rewriteCount: 0,
  };
}

/** Then whatever else is written is in vain: what is under way comes to its end as fast as it can. */
export function isOverBudget(writer: SchemaWriter): boolean {
  return writer.hasOversizedPart || writer.lengthBefore + writer.text.length > writer.budget.maxBytes;
}

/** What `write` writes, for the caller alone. */
export function capture(writer: SchemaWriter, write: () => void): string {
  const before = writer.text;
  writer.text = '';
  writer.lengthBefore += before.length;
  write();
  const captured = writer.text;
  writer.text = before;
  writer.lengthBefore -= before.length;
  return captured;
}

export function writeKey(writer: SchemaWriter, key: string, json: string): void {
  writer.text += `${writer.separator}"${key}":${json}`;
  writer.separator = ',';
}

/** `detail` follows what was done, if anybody wants to know. */
export function recordRewrite(writer: SchemaWriter, what: string, why: string, detail = ''): void {
  writer.rewriteCount++;
  const { rewrites } = writer;
  if (rewrites === undefined || rewrites.length >= MAX_REWRITES || isOverBudget(writer)) return;
  rewrites.push({ path: pathOf(writer).join('.'), what: what + truncate(detail, MAX_DETAIL), why, isNarrowing: false });
}

const MAX_REWRITES = 100;
const MAX_DETAIL = 200;

/**
 * A schema that allows anything, with its types if there is room. For an array without `items` Codex assumes strings, but
 * it reads `{}` as anything. So `{}` is the only schema without a type: a list of types for items of items would never end.
 */
export function writeAnything(writer: SchemaWriter, description = ''): void {
  if (writer.budget.isCompact && description === '') {
    writer.text += '{}';
    writer.separator = ',';
    return;
  }
  const told = description === '' ? '' : `"description":${quote(description)},`;
  writer.text += `${EVERY_TYPE_HEAD},${told}"items":{}}`;
  writer.separator = ',';
  writer.bytesAdded += EMPTY_PROPERTIES_BYTES;
}

/** Whether this is all that was written for a schema: then it allows anything and says nothing. */
export function isAnything(text: string): boolean {
  return text === '{}' || text === ANYTHING;
}

const ANYTHING = `${EVERY_TYPE_HEAD},"items":{}}`;

export const EMPTY_PROPERTIES_BYTES = '"properties":{},'.length;

function pathOf({ path, pathLength }: SchemaWriter): string[] {
  return path.slice(0, pathLength);
}

/** The name of the property at which the writing is, if it is at one. */
export function lastPathStep({ path, pathLength }: SchemaWriter): string {
  return path[pathLength - 1] ?? '';
}

/** Goes to a schema inside this one. A list that never shrinks: this is done for every schema. */
export function enter(writer: SchemaWriter, keyword: string, step?: string): void {
  writer.path[writer.pathLength++] = keyword;
  if (step !== undefined) writer.path[writer.pathLength++] = step;
}

/** Goes back by so many steps. */
export function leave(writer: SchemaWriter, steps: number): void {
  writer.pathLength -= steps;
}

/** The value of a keyword of the schema at which the writing is, with every digit of its numbers. */
export function valueText(writer: SchemaWriter, keyword: string, value: unknown): string | undefined {
  if (typeof value === 'string') return quote(value);
  if (typeof value === 'boolean' || value === null) return String(value);
  if (typeof value === 'number' && Math.abs(value) < MAX_EXACT && keyword !== 'const') return String(value);
  const flat = Array.isArray(value) ? toFlatList(value) : undefined;
  if (flat !== undefined) return flat;
  if (!writer.exact.hasLossyNumbers()) return toJson(value);
  return writer.exact.at([...pathOf(writer), keyword]);
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
