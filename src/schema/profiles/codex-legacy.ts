import { protectNumbers } from './codex-legacy/protect-numbers.ts';
import { MAX_REWRITES, type Reading, startReading } from './codex-legacy/reading.ts';
import { rewriteSchema } from './codex-legacy/schema.ts';
import { mendHalves, tellHalves } from './half-characters.ts';
import { isObject, toJson } from './json.ts';
import { mayHaveLargeNumbers, mendNumbers } from './large-numbers.ts';
import { LazyRewritten } from './lazy-rewritten.ts';
import { isTooDeep } from './nesting.ts';
import type { Profile, Rewrite, Rewritten } from './profile.ts';

/**
 * For a Codex up to 0.92, which knows five types, wants one everywhere, and loses the tool or the whole server where it
 * does not find it. What is missing is guessed, so that some schemas accept less than the server: each guess says so.
 */
export const codexLegacy: Profile = {
  name: 'codex-legacy',
  maxNameLength: 40,
  rewrite(given) {
    const halves = mendHalves(given);
    const mended = mayHaveLargeNumbers(halves) ? mendNumbers(halves) : { json: halves, rewrites: [] };
    if (mended === undefined) return anyArguments('the schema was too large to be looked into');
    const found = () => [...tellHalves(given), ...mended.rewrites];
    const numbers = protectNumbers(mended.json);
    for (const maxDepth of DEPTHS) {
      const reading = startReading({ mark: numbers.mark, maxDepth, isTold: false });
      const root: unknown = JSON.parse(numbers.text);
      if (!isObject(root)) return anyArguments('the schema was not an object, and Codex loses the whole server');
      rewriteSchema(reading, root, 0);
      if (reading.count === 0) return keep(given, mended.json, found);
      const text = toJson(root);
      if (text === undefined || (reading.mayBeDeep && isTooDeep(text))) continue;
      return new LazyRewritten(numbers.restore(text), () => {
        const told = startReading({ mark: numbers.mark, maxDepth, isTold: true });
        rewriteSchema(told, JSON.parse(numbers.text), 0);
        return [...found(), ...tell(told)];
      });
    }
    return anyArguments('the schema was nested too deep to be written');
  },
};

/** How many schemas may stand inside one another: fewer when what is written would be too deep for Codex. */
const DEPTHS = [100, 20] as const;

function keep(given: string, schema: string, found: () => readonly Rewrite[]): Rewritten {
  const text = schema.replace(/[\r\n]/g, ' ');
  return schema === given ? { text, rewrites: [] } : new LazyRewritten(text, found);
}

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
