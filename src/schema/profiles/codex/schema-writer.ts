import { truncate } from '../../../base/text/truncate.ts';
import type { JsonObject } from '../../../wire/messages.ts';
import type { ExactTexts } from '../../json/exact-text.ts';
import { quote, toJson } from '../json.ts';
import type { Rewrite } from '../profile.ts';
import type { Reference } from './references.ts';
import type { SizeBudget } from './size-budget.ts';
import { EVERY_TYPE_HEAD } from './types.ts';

/** The state of writing one schema. The text grows in order: no intermediate objects are built. */
export interface SchemaWriter {
  readonly root: JsonObject;
  readonly budget: SizeBudget;
  /** At this depth only the type of a schema is written. */
  maxDepth: number;
  readonly exact: ExactTexts;
  /** Writes a schema inside this one. */
  readonly write: WriteSchema;
  text: string;
  /** Length of the text before `text`, or kept for later. */
  lengthBefore: number;
  /** Whether a single part alone is too large. */
  hasOversizedPart: boolean;
  /** Bytes that Codex adds: it gives every object schema `properties`, and even empty ones count against the limit. */
  bytesAdded: number;
  /** Written before the next member. */
  separator: '' | ',';
  /** The steps from the root of the parsed schema to the current position. Only the first `pathLength` steps count. */
  path: string[];
  pathLength: number;
  /** Original paths of schemas that are written at another position. */
  origins: Map<unknown, readonly string[]> | undefined;
  /** Number of enclosing schemas with an `$id` of their own, to which their references are relative. */
  embedded: number;
  /** In order of discovery. Grows while it is processed. */
  readonly references: Reference[];
  /** Texts that were already written, by reference. */
  referenceTexts: Map<string, string> | undefined;
  /** Whether a reference to the root may stay: not if the root is written as something else. */
  topIsKept: boolean;
  /** Whether the result may be nested deeper than Codex reads. */
  mayBeDeep: boolean;
  readonly rewrites: Rewrite[] | undefined;
  rewriteCount: number;
}

export interface SchemaContext {
  readonly depth: number;
  /** Types that a value at this position is already known to have. */
  readonly knownTypes: readonly string[] | undefined;
}

type WriteSchema = (writer: SchemaWriter, schema: unknown, place: SchemaContext) => void;

export interface WriterOptions {
  readonly root: JsonObject;
  readonly budget: SizeBudget;
  readonly exact: ExactTexts;
  readonly write: WriteSchema;
  /** Whether to record every rewrite: a tool list needs none of them. */
  readonly recordsRewrites: boolean;
}

/** Creates a writer. Lists every member explicitly, because this runs for every tool of every list. */
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

/**
 * Returns whether the text is too large. Further output is then useless, and the current write ends as fast as it can.
 */
export function isOverBudget(writer: SchemaWriter): boolean {
  return writer.hasOversizedPart || writer.lengthBefore + writer.text.length > writer.budget.maxBytes;
}

/** Returns the output of `write` instead of appending it. */
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

/** Records a rewrite. `detail` is appended to `what`. */
export function recordRewrite(writer: SchemaWriter, what: string, why: string, detail = ''): void {
  writer.rewriteCount++;
  const { rewrites } = writer;
  if (rewrites === undefined || rewrites.length >= MAX_REWRITES || isOverBudget(writer)) return;
  rewrites.push({ path: pathOf(writer).join('.'), what: what + truncate(detail, MAX_DETAIL), why, isNarrowing: false });
}

const MAX_REWRITES = 100;
const MAX_DETAIL = 200;

/**
 * Writes a schema that allows anything, with its types if there is room. For an array without `items` Codex assumes
 * strings, but it reads `{}` as anything. So `{}` is the only schema without a type: a list of types for items of items
 * would never end.
 */
export function writeAnything(writer: SchemaWriter, description = ''): void {
  if (writer.budget.isCompact && description === '') {
    writer.text += '{}';
    writer.separator = ',';
    return;
  }
  const descriptionMember = description === '' ? '' : `"description":${quote(description)},`;
  writer.text += `${EVERY_TYPE_HEAD},${descriptionMember}"items":{}}`;
  writer.separator = ',';
  writer.bytesAdded += EMPTY_PROPERTIES_BYTES;
}

/** Returns whether this is the whole text of a schema that allows anything and describes nothing. */
export function isAnything(text: string): boolean {
  return text === '{}' || text === ANYTHING;
}

const ANYTHING = `${EVERY_TYPE_HEAD},"items":{}}`;

export const EMPTY_PROPERTIES_BYTES = '"properties":{},'.length;

function pathOf({ path, pathLength }: SchemaWriter): string[] {
  return path.slice(0, pathLength);
}

/** Returns the last step of the path, which is the name of the property inside one. */
export function lastPathStep({ path, pathLength }: SchemaWriter): string {
  return path[pathLength - 1] ?? '';
}

/** Moves to a schema inside this one. The list never shrinks, because this runs for every schema. */
export function enter(writer: SchemaWriter, keyword: string, step?: string): void {
  writer.path[writer.pathLength++] = keyword;
  if (step !== undefined) writer.path[writer.pathLength++] = step;
}

/** Moves back by this many steps. */
export function leave(writer: SchemaWriter, steps: number): void {
  writer.pathLength -= steps;
}

/** Returns the value of a keyword of the current schema, with every digit of its numbers. */
export function valueText(writer: SchemaWriter, keyword: string, value: unknown): string | undefined {
  if (typeof value === 'string') return quote(value);
  if (typeof value === 'boolean' || value === null) return String(value);
  if (typeof value === 'number' && Math.abs(value) < MAX_EXACT && keyword !== 'const') return String(value);
  const flat = Array.isArray(value) ? toFlatList(value) : undefined;
  if (flat !== undefined) return flat;
  if (!writer.exact.hasLossyNumbers()) return toJson(value);
  return writer.exact.at([...pathOf(writer), keyword]);
}

/** Writes a list of plain values. This is the fastest way for most lists, which are short. Undefined for all others. */
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

/** Smaller numbers need no exact text: in a description, 1.0 may become 1. */
const MAX_EXACT = 2 ** 53;
