import { wellFormedJson } from '../../wire/json/well-formed-json.ts';
import { isTooDeep } from '../json/nesting.ts';
import { type Protected, protectNumbers } from './codex-legacy/protect-numbers.ts';
import { MAX_REWRITES, type Reading, startReading } from './codex-legacy/rewrite-context.ts';
import { rewriteSchema } from './codex-legacy/schema.ts';
import { isObject, toJson } from './json.ts';
import { type Mended, mendNumbers } from './large-numbers.ts';
import { LazyRewritten } from './lazy-rewrite-result.ts';
import { tellHalves } from './lone-surrogates.ts';
import type { Profile, Rewrite, Rewritten } from './profile.ts';

/**
 * For a Codex up to 0.92, which knows five types, wants one everywhere, and loses the tool or the whole server where it
 * does not find it. What is missing is guessed, so that some schemas accept less than the server: each guess says so.
 */
export const codexLegacy: Profile = {
  name: 'codex-legacy',
  maxNameLength: 40,
  rewrite(given) {
    const schema = wellFormedJson(given);
    const numbers = protectNumbers(schema);
    const rewritten = rewriteAll(schema, numbers);
    const mended = numbers.mark === undefined ? UNTOUCHED : mendNumbers(rewritten.text);
    if (mended === undefined) return anyArguments('the schema was too large to be looked into');
    if (schema === given && mended.rewrites.length === 0) return rewritten;
    const text = mended === UNTOUCHED ? rewritten.text : mended.json;
    return new LazyRewritten(text, () => [...tellHalves(given), ...rewritten.rewrites, ...mended.rewrites]);
  },
};

const UNTOUCHED: Mended = { json: '', rewrites: [] };

function rewriteAll(schema: string, { text: json, mark, restore }: Protected): Rewritten {
  for (const maxDepth of DEPTHS) {
    const reading = startReading({ mark, maxDepth, isTold: false });
    const root: unknown = JSON.parse(json);
    if (!isObject(root)) return anyArguments('the schema was not an object, and Codex loses the whole server');
    rewriteSchema(reading, root, 0);
    if (reading.count === 0) return { text: schema.replace(/[\r\n]/g, ' '), rewrites: [] };
    const text = toJson(root);
    if (text === undefined || (reading.mayBeDeep && isTooDeep(text))) continue;
    return new LazyRewritten(restore(text), () => {
      const told = startReading({ mark, maxDepth, isTold: true });
      rewriteSchema(told, JSON.parse(json), 0);
      return tell(told);
    });
  }
  return anyArguments('the schema was nested too deep to be written');
}

/** How many schemas may stand inside one another: fewer when what is written would be too deep for Codex. */
const DEPTHS = [100, 20] as const;

function anyArguments(why: string): Rewritten {
  return {
    text: '{"type":"object"}',
    rewrites: [{ path: '', what: 'any arguments are accepted', why, isNarrowing: false }],
  };
}

function tell({ rewrites, count }: Reading): readonly Rewrite[] {
  if (count <= MAX_REWRITES) return rewrites;
  const what = `${count - MAX_REWRITES} more rewrites`;
  return [...rewrites, { path: '', what, why: 'of the same kinds', isNarrowing: true }];
}
