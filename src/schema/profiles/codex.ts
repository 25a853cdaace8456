import { wellFormedJson } from '../../wire/json/well-formed-json.ts';
import { createExactTexts } from '../json/exact-text.ts';
import { isTooDeep } from '../json/nesting.ts';
import { writeDefinitions } from './codex/definitions.ts';
import { writeSchema } from './codex/schema.ts';
import { isFull, type Place, type Start, startWriting, type Writing } from './codex/schema-writer.ts';
import {
  LAST_RESORT,
  losingWords,
  MAX_BYTES,
  OVER_LIMIT,
  PLENTY,
  type Thrift,
  WITHOUT_WORDS,
  withFewWords,
} from './codex/size-budget.ts';
import { flattenTop } from './codex/top-level.ts';
import { isObject } from './json.ts';
import { mayHaveLargeNumbers, mendNumbers } from './large-numbers.ts';
import { LazyRewritten } from './lazy-rewrite-result.ts';
import { tellHalves } from './lone-surrogates.ts';
import type { Profile, Rewrite, Rewritten } from './profile.ts';

/**
 * For a Codex of today: what the original accepts, the rewritten schema accepts, before and after Codex has read it. It
 * says what Codex keeps, and in descriptions the rest.
 */
export const codex: Profile = {
  name: 'codex',
  // Since 0.149 Codex allows 128 characters including its own `mcp__<gateway>__`; before that it shortens names itself.
  maxNameLength: 110,
  rewrite(given) {
    const schema = wellFormedJson(given);
    const root: unknown = JSON.parse(schema);
    if (!isObject(root)) return { text: '{"type":"object"}', rewrites: [NO_OBJECT] };
    const written = writeShortest({ root, exact: createExactTexts(schema), isTold: false });
    if (written.rewriteCount > 0) return new LazyRewritten(written.text, () => findRewrites(given));
    const kept = keep(schema, written);
    return schema === given ? kept : { text: kept.text, rewrites: [...tellHalves(given), ...kept.rewrites] };
  },
};

/** Parsed once more, so that nobody who keeps the text of many tools keeps all of their schemas. */
function findRewrites(given: string): readonly Rewrite[] {
  const schema = wellFormedJson(given);
  const written = writeShortest({ root: JSON.parse(schema), exact: createExactTexts(schema), isTold: true });
  return [...tellHalves(given), ...tell(written)];
}

const NO_OBJECT: Rewrite = {
  path: '',
  what: 'any arguments are accepted',
  why: 'the schema was not an object, and Codex loses the whole server',
  isNarrowing: false,
};

type Source = Omit<Start, 'thrift' | 'write'>;

/** Writes the schema with the least loss that fits, and never with less than Codex itself would show. */
function writeShortest(source: Source): Writing {
  const whole = write(source, PLENTY);
  if (fits(whole)) return whole;
  const bare = firstThatFits(source, WITHOUT_WORDS);
  return bare === undefined ? writeLarge(source) : addWords(source, bare);
}

/** Adds as much description as fits, and then the types of schemas that allow anything. */
function addWords(source: Source, bare: Writing): Writing {
  const few = firstThatFits(source, withFewWords(bare.thrift));
  const terse = few === undefined ? bare : (firstThatFits(source, losingWords(few.thrift)) ?? few);
  const typed = write(sourceOf(terse.text), PLENTY);
  return fits(typed) ? { ...terse, text: typed.text } : terse;
}

function writeLarge(source: Source): Writing {
  const large = write(source, OVER_LIMIT);
  if (fits(large)) return large;
  const cut = write(source, LAST_RESORT);
  // The reduced schema may fit with words and types, so it is processed like any other.
  return { ...cut, text: writeShortest(sourceOf(cut.text)).text };
}

/** Parses a written schema again. */
function sourceOf(text: string): Source {
  return { root: JSON.parse(text), exact: createExactTexts(text), isTold: false };
}

/** The losses grow from step to step and the texts shrink, so few have to be tried. */
function firstThatFits(source: Source, steps: readonly Thrift[]): Writing | undefined {
  let low = 0;
  let high = steps.length;
  let best: Writing | undefined;
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

function write({ root, exact, isTold }: Source, thrift: Thrift): Writing {
  const writing = startWriting({ root, exact, isTold, thrift, write: writeSchema });
  writeSchema(writing, flattenTop(writing), TOP);
  writeDefinitions(writing);
  writing.text += '}';
  return writing;
}

const TOP: Place = { depth: 0, known: undefined };

function fits(writing: Writing): boolean {
  const { text, bytesAdded, thrift } = writing;
  if (isFull(writing) || (writing.mayBeDeep && isTooDeep(text))) return false;
  if (text.length * MAX_BYTES_PER_UNIT + bytesAdded <= thrift.maxBytes) return true;
  return Buffer.byteLength(text) + bytesAdded <= thrift.maxBytes;
}

/** A character of a string takes three bytes at most, so that small texts need not be measured. */
const MAX_BYTES_PER_UNIT = 3;

/** Nothing that means something changes: then the text stays, unless Codex would have to leave out the rest of it. */
function keep(schema: string, { text }: Writing): Rewritten {
  if (Buffer.byteLength(schema) > MAX_BYTES) return { text, rewrites: text === schema ? [] : [UNREAD] };
  const mended = mayHaveLargeNumbers(schema) ? mendNumbers(schema) : undefined;
  return { text: (mended?.json ?? schema).replace(/[\r\n]/g, ' '), rewrites: mended?.rewrites ?? [] };
}

const UNREAD: Rewrite = {
  path: '',
  what: 'parts that Codex does not read left out',
  why: 'over 5000 bytes Codex leaves out all descriptions, and then more',
  isNarrowing: false,
};

function tell({ rewrites = [], rewriteCount }: Writing): readonly Rewrite[] {
  const untold = rewriteCount - rewrites.length;
  if (untold === 0) return rewrites;
  return [...rewrites, { path: '', what: `${untold} more rewrites`, why: 'of the same kinds', isNarrowing: false }];
}
