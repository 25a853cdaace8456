import { wellFormedJson } from '../../wire/json/well-formed-json.ts';
import { isObject } from '../../wire/messages.ts';
import { createExactTexts } from '../json/exact-text.ts';
import { isTooDeep } from '../json/nesting.ts';
import { writeDefinitions } from './codex/definitions.ts';
import { writeSchema } from './codex/schema.ts';
import {
  createSchemaWriter,
  isOverBudget,
  type SchemaContext,
  type SchemaWriter,
  type WriterOptions,
} from './codex/schema-writer.ts';
import {
  FULL_BUDGET,
  LAST_RESORT,
  MAX_BYTES,
  OVER_LIMIT,
  type SizeBudget,
  WITHOUT_DESCRIPTIONS,
  withShortDescriptions,
  withShrinkingDescriptions,
} from './codex/size-budget.ts';
import { flattenTopLevel } from './codex/top-level.ts';
import { mayHaveLargeNumbers, repairNumbers } from './large-numbers.ts';
import { LazyRewriteResult } from './lazy-rewrite-result.ts';
import { reportLoneSurrogates } from './lone-surrogates.ts';
import type { Profile, Rewrite, RewriteResult } from './profile.ts';

/**
 * The profile for current versions of Codex. The rewritten schema accepts whatever the original accepts, before and
 * after Codex has read it. It contains what Codex keeps, and describes the rest in descriptions.
 */
export const codex: Profile = {
  name: 'codex',
  // Since 0.149 Codex allows 128 characters including its own `mcp__<gateway>__`; before that it shortens names itself.
  maxNameLength: 110,
  rewrite(given) {
    const schema = wellFormedJson(given);
    const root: unknown = JSON.parse(schema);
    if (!isObject(root)) return { text: '{"type":"object"}', rewrites: [NO_OBJECT] };
    const written = writeFitting({ root, exact: createExactTexts(schema), recordsRewrites: false });
    if (written.rewriteCount > 0) return new LazyRewriteResult(written.text, () => findRewrites(given));
    const kept = keepUnchanged(schema, written);
    return schema === given ? kept : { text: kept.text, rewrites: [...reportLoneSurrogates(given), ...kept.rewrites] };
  },
};

/** Parses the schema again, so that a caller that keeps the text of many tools does not keep all of their schemas. */
function findRewrites(given: string): readonly Rewrite[] {
  const schema = wellFormedJson(given);
  const written = writeFitting({ root: JSON.parse(schema), exact: createExactTexts(schema), recordsRewrites: true });
  return [...reportLoneSurrogates(given), ...listRewrites(written)];
}

const NO_OBJECT: Rewrite = {
  path: '',
  what: 'any arguments are accepted',
  why: 'the schema was not an object, and Codex loses the whole server',
  isNarrowing: false,
};

type ParsedSchema = Omit<WriterOptions, 'budget' | 'write'>;

/** Writes the schema with the least loss that fits, and never with less than Codex itself would show. */
function writeFitting(source: ParsedSchema): SchemaWriter {
  const whole = write(source, FULL_BUDGET);
  if (fits(whole)) return whole;
  const bare = firstThatFits(source, WITHOUT_DESCRIPTIONS);
  return bare === undefined ? writeLarge(source) : addDescriptions(source, bare);
}

/** Adds as much description as fits, and then the types of schemas that allow anything. */
function addDescriptions(source: ParsedSchema, bare: SchemaWriter): SchemaWriter {
  const few = firstThatFits(source, withShortDescriptions(bare.budget));
  const terse = few === undefined ? bare : (firstThatFits(source, withShrinkingDescriptions(few.budget)) ?? few);
  const typed = write(sourceOf(terse.text), FULL_BUDGET);
  return fits(typed) ? { ...terse, text: typed.text } : terse;
}

function writeLarge(source: ParsedSchema): SchemaWriter {
  const large = write(source, OVER_LIMIT);
  if (fits(large)) return large;
  const cut = write(source, LAST_RESORT);
  // The reduced schema may fit with descriptions and types, so it is processed like any other.
  return { ...cut, text: writeFitting(sourceOf(cut.text)).text };
}

/** Parses a written schema again. */
function sourceOf(text: string): ParsedSchema {
  return { root: JSON.parse(text), exact: createExactTexts(text), recordsRewrites: false };
}

/**
 * Returns the first step that fits. From step to step the losses grow and the texts shrink, so a binary search works.
 */
function firstThatFits(source: ParsedSchema, steps: readonly SizeBudget[]): SchemaWriter | undefined {
  let low = 0;
  let high = steps.length;
  let best: SchemaWriter | undefined;
  while (low < high) {
    const middle = (low + high) >> 1;
    const written = write(source, steps[middle] ?? LAST_RESORT);
    if (fits(written)) {
      best = written;
      high = middle;
    } else low = middle + 1;
  }
  return best;
}

function write({ root, exact, recordsRewrites }: ParsedSchema, budget: SizeBudget): SchemaWriter {
  const writer = createSchemaWriter({
    root,
    exact,
    recordsRewrites,
    budget,
    write: writeSchema,
  });
  writeSchema(writer, flattenTopLevel(writer), TOP);
  writeDefinitions(writer);
  writer.text += '}';
  return writer;
}

const TOP: SchemaContext = { depth: 0, knownTypes: undefined };

function fits(writer: SchemaWriter): boolean {
  const { text, bytesAdded, budget } = writer;
  if (isOverBudget(writer) || (writer.mayBeDeep && isTooDeep(text))) return false;
  if (text.length * MAX_BYTES_PER_UNIT + bytesAdded <= budget.maxBytes) return true;
  return Buffer.byteLength(text) + bytesAdded <= budget.maxBytes;
}

/** A UTF-16 code unit takes three bytes at most, so small texts need not be measured. */
const MAX_BYTES_PER_UNIT = 3;

/** Keeps the text, because nothing meaningful changes, unless it is so large that Codex would leave out parts of it. */
function keepUnchanged(schema: string, { text }: SchemaWriter): RewriteResult {
  if (Buffer.byteLength(schema) > MAX_BYTES) return { text, rewrites: text === schema ? [] : [UNREAD] };
  const repaired = mayHaveLargeNumbers(schema) ? repairNumbers(schema) : undefined;
  return { text: (repaired?.json ?? schema).replace(/[\r\n]/g, ' '), rewrites: repaired?.rewrites ?? [] };
}

const UNREAD: Rewrite = {
  path: '',
  what: 'parts that Codex does not read left out',
  why: 'over 5000 bytes Codex leaves out all descriptions, and then more',
  isNarrowing: false,
};

function listRewrites({ rewrites = [], rewriteCount }: SchemaWriter): readonly Rewrite[] {
  const unlisted = rewriteCount - rewrites.length;
  if (unlisted === 0) return rewrites;
  return [...rewrites, { path: '', what: `${unlisted} more rewrites`, why: 'of the same kinds', isNarrowing: false }];
}
