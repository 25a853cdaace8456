import type { Definition } from '../definitions/definition.ts';
import { type Member, readMembers } from '../json/text-members.ts';
import type { Profile, Rewrite, Rewritten } from './profile.ts';
import { mendTool } from './repair-tool.ts';

export interface Profiled {
  readonly definition: Definition;
  readonly rewrites: readonly Rewrite[];
}

/**
 * The tool with its input schema rewritten, and without what costs the client all other tools; every other byte of it
 * stays. The same object when nothing changes.
 */
export function applyProfile(profile: Profile, definition: Definition): Profiled {
  if (profile.name === 'none') return { definition, rewrites: [] };
  const members = readMembers(definition.json);
  const mended = mendTool(definition, members);
  if (mended === undefined) return rewriteSchema(profile, definition, members);
  const rewritten = rewriteSchema(profile, mended.definition, readMembers(mended.definition.json));
  return { definition: rewritten.definition, rewrites: [...rewritten.rewrites, ...mended.rewrites] };
}

function rewriteSchema(profile: Profile, definition: Definition, members: readonly Member[]): Profiled {
  const { json, keyAt } = definition;
  const found = members.find(({ key }) => key === 'inputSchema');
  if (found === undefined) return { definition, rewrites: [] };
  const schema = json.slice(found.start, found.end);
  const rewritten = profile.rewrite(schema);
  const { text } = rewritten;
  if (text === schema) return { definition, rewrites: [] };
  const edited = json.slice(0, found.start) + text + json.slice(found.end);
  const shift = text.length - schema.length;
  const marks = keyAt.map(({ start, end }) =>
    start > found.start ? { start: start + shift, end: end + shift } : { start, end },
  );
  return new LazyProfiled({ ...definition, json: edited, keyAt: marks }, rewritten);
}

/** The rewrites are found when somebody asks for them. */
class LazyProfiled implements Profiled {
  readonly definition: Definition;
  readonly #rewritten: Rewritten;

  constructor(definition: Definition, rewritten: Rewritten) {
    this.definition = definition;
    this.#rewritten = rewritten;
  }

  get rewrites(): readonly Rewrite[] {
    return this.#rewritten.rewrites;
  }
}
