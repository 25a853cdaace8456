import { protectNumbers } from './codex-legacy/protect-numbers.ts';
import { MAX_REWRITES, type Reading, startReading } from './codex-legacy/reading.ts';
import { rewriteSchema } from './codex-legacy/schema.ts';
import { isObject, toJson } from './json.ts';
import { LazyRewritten } from './lazy-rewritten.ts';
import type { Profile, Rewrite, Rewritten } from './profile.ts';

/**
 * For a Codex up to 0.92, which knows five types, wants one everywhere, and loses the tool or the whole server where it
 * does not find it. What is missing is guessed, so that some schemas accept less than the server: each guess says so.
 */
export const codexLegacy: Profile = {
  name: 'codex-legacy',
  maxNameLength: 40,
  rewrite(schema) {
    const { text: json, mark, restore } = protectNumbers(schema);
    const reading = startReading({ mark, isTold: false });
    const root: unknown = JSON.parse(json);
    if (!isObject(root)) return anyArguments('the schema was not an object, and Codex loses the whole server');
    rewriteSchema(reading, root, 0);
    if (reading.count === 0) return { text: schema.replace(/[\r\n]/g, ' '), rewrites: [] };
    const text = toJson(root);
    if (text === undefined) return anyArguments('the schema was nested too deep to be written');
    return new LazyRewritten(restore(text), () => {
      const told = startReading({ mark, isTold: true });
      rewriteSchema(told, JSON.parse(json), 0);
      return tell(told);
    });
  },
};

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
