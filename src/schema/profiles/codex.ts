import { writeDefinitions } from './codex/definitions.ts';
import { writeSchema } from './codex/schema.ts';
import { MAX_BYTES, THRIFT, type Thrift } from './codex/thrift.ts';
import { flattenTop } from './codex/top.ts';
import { isFull, type Place, type Start, startWriting, type Writing } from './codex/writing.ts';
import { createExactTexts } from './exact.ts';
import { isObject } from './json.ts';
import { LazyRewritten } from './lazy-rewritten.ts';
import type { Profile, Rewrite, Rewritten } from './profile.ts';

/**
 * For a Codex of today: what the original accepts, the rewritten schema accepts, before and after Codex has read it. It
 * says what Codex keeps, and in descriptions the rest.
 */
export const codex: Profile = {
  name: 'codex',
  maxNameLength: 64,
  rewrite(schema) {
    const root: unknown = JSON.parse(schema);
    if (!isObject(root)) return { text: '{"type":"object"}', rewrites: [NO_OBJECT] };
    const written = writeShortest({ root, exact: createExactTexts(schema), isTold: false });
    if (written.rewriteCount === 0) return keep(schema, written);
    return new LazyRewritten(written.text, () => findRewrites(schema));
  },
};

/** Parsed once more, so that nobody who keeps the text of many tools keeps all of their schemas. */
function findRewrites(schema: string): readonly Rewrite[] {
  return tell(writeShortest({ root: JSON.parse(schema), exact: createExactTexts(schema), isTold: true }));
}

const NO_OBJECT: Rewrite = {
  path: '',
  what: 'any arguments are accepted',
  why: 'the schema was not an object, and Codex loses the whole server',
  isNarrowing: false,
};

type Source = Omit<Start, 'thrift' | 'write'>;

/** With the least loss at which it fits. The losses grow and the texts shrink, so few have to be tried. */
function writeShortest(source: Source): Writing {
  const whole = write(source, THRIFT.plenty);
  if (fits(whole)) return whole;
  let low = 0;
  let high: number = THRIFT.steps.length;
  let best: Writing | undefined;
  while (low < high) {
    const middle = (low + high) >> 1;
    const written = write(source, THRIFT.steps[middle] ?? THRIFT.last);
    if (fits(written)) {
      best = written;
      high = middle;
    } else low = middle + 1;
  }
  return best ?? write(source, THRIFT.last);
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
  const { text, bytesAdded } = writing;
  if (isFull(writing)) return false;
  if (text.length * MAX_BYTES_PER_UNIT + bytesAdded <= MAX_BYTES) return true;
  return Buffer.byteLength(text) + bytesAdded <= MAX_BYTES;
}

/** A character of a string takes three bytes at most, so that small texts need not be measured. */
const MAX_BYTES_PER_UNIT = 3;

/** Nothing that means something changes: then the text stays, unless Codex would have to leave out the rest of it. */
function keep(schema: string, { text }: Writing): Rewritten {
  if (Buffer.byteLength(schema) <= MAX_BYTES) return { text: schema.replace(/[\r\n]/g, ' '), rewrites: [] };
  return { text, rewrites: [UNREAD] };
}

const UNREAD: Rewrite = {
  path: '',
  what: 'what Codex does not read left out',
  why: 'the whole must stay under 5000 bytes',
  isNarrowing: false,
};

function tell({ rewrites = [], rewriteCount }: Writing): readonly Rewrite[] {
  const untold = rewriteCount - rewrites.length;
  if (untold === 0) return rewrites;
  return [...rewrites, { path: '', what: `${untold} more rewrites`, why: 'of the same kinds', isNarrowing: false }];
}
