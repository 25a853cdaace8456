import { wellFormedJson } from '../../wire/json/well-formed-json.ts';
import { isObject } from '../../wire/messages.ts';
import { isTooDeep } from '../json/nesting.ts';
import { type Protected, protectNumbers } from './codex-legacy/protect-numbers.ts';
import { createRewriteContext, MAX_REWRITES, type RewriteContext } from './codex-legacy/rewrite-context.ts';
import { rewriteSchema } from './codex-legacy/schema.ts';
import { toJson } from './json.ts';
import { type RepairedJson, repairNumbers } from './large-numbers.ts';
import { LazyRewriteResult } from './lazy-rewrite-result.ts';
import { reportLoneSurrogates } from './lone-surrogates.ts';
import type { Profile, Rewrite, RewriteResult } from './profile.ts';

/**
 * The profile for Codex up to 0.92, which supports five types, requires one everywhere, and otherwise loses the tool or
 * the whole server. Missing types are guessed, so some schemas accept less than the server does. Each guess is
 * reported.
 */
export const codexLegacy: Profile = {
  name: 'codex-legacy',
  maxNameLength: 40,
  rewrite(given) {
    const schema = wellFormedJson(given);
    const numbers = protectNumbers(schema);
    const rewritten = rewriteAll(schema, numbers);
    const repaired = numbers.mark === undefined ? UNTOUCHED : repairNumbers(rewritten.text);
    if (repaired === undefined) return acceptAnyArguments('the schema was too large to inspect');
    if (schema === given && repaired.rewrites.length === 0) return rewritten;
    const text = repaired === UNTOUCHED ? rewritten.text : repaired.json;
    return new LazyRewriteResult(text, () => [
      ...reportLoneSurrogates(given),
      ...rewritten.rewrites,
      ...repaired.rewrites,
    ]);
  },
};

const UNTOUCHED: RepairedJson = { json: '', rewrites: [] };

function rewriteAll(schema: string, { text: json, mark, restore }: Protected): RewriteResult {
  for (const maxDepth of DEPTHS) {
    const context = createRewriteContext({ mark, maxDepth, recordsRewrites: false });
    const root: unknown = JSON.parse(json);
    if (!isObject(root)) return acceptAnyArguments('the schema was not an object, and Codex loses the whole server');
    rewriteSchema(context, root, 0);
    if (context.count === 0) return { text: schema.replace(/[\r\n]/g, ' '), rewrites: [] };
    const text = toJson(root);
    if (text === undefined || (context.mayBeDeep && isTooDeep(text))) continue;
    return new LazyRewriteResult(restore(text), () => {
      const recording = createRewriteContext({ mark, maxDepth, recordsRewrites: true });
      rewriteSchema(recording, JSON.parse(json), 0);
      return listRewrites(recording);
    });
  }
  return acceptAnyArguments('the schema was nested too deeply to be written');
}

/** Maximum depth of nested schemas; the lower one is for a result that is too deep for Codex. */
const DEPTHS = [100, 20] as const;

function acceptAnyArguments(why: string): RewriteResult {
  return {
    text: '{"type":"object"}',
    rewrites: [{ path: '', what: 'any arguments are accepted', why, isNarrowing: false }],
  };
}

function listRewrites({ rewrites, count }: RewriteContext): readonly Rewrite[] {
  if (count <= MAX_REWRITES) return rewrites;
  const what = `${count - MAX_REWRITES} more rewrites`;
  return [...rewrites, { path: '', what, why: 'of the same kinds', isNarrowing: true }];
}
