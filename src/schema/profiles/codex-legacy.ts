import { toEdits } from '../changes.ts';
import { Outline } from '../outline.ts';
import { write } from '../write.ts';
import { startLegacy } from './codex-legacy/legacy-changes.ts';
import { rewriteSchema } from './codex-legacy/schema.ts';
import type { Profile, Rewritten } from './profile.ts';

/**
 * For a Codex up to 0.92, which knows five types, wants one everywhere, and loses the tool or the whole server where it
 * does not find it. What is missing is guessed, so that some schemas accept less than the server: each guess says so.
 * Every byte that is not in the way stays.
 */
export const codexLegacy: Profile = {
  name: 'codex-legacy',
  maxNameLength: 40,
  rewrite(schema) {
    const outline = new Outline(Buffer.from(schema.trim()));
    outline.read(0);
    if (outline.excess !== undefined) return anyArguments(`the schema ${outline.excess}`);
    if (!outline.isObject(0)) return anyArguments('the schema was not an object, and Codex loses the whole server');
    const changes = startLegacy(outline);
    rewriteSchema(changes, 0);
    if (changes.rewrites.length === 0) return { text: schema.replace(/[\r\n]/g, ' '), rewrites: [] };
    const edits = [...toEdits(outline, changes), ...changes.wraps].sort((a, b) => a.start - b.start || a.end - b.end);
    return { text: write(outline, edits, []).json, rewrites: changes.rewrites };
  },
};

function anyArguments(why: string): Rewritten {
  return {
    text: '{"type":"object"}',
    rewrites: [{ path: '', what: 'any arguments are accepted', why, isNarrowing: false }],
  };
}
