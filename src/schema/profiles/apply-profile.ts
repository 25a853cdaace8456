import { type Member, readMembers } from '../../wire/json/json-text.ts';
import type { Definition } from '../definitions/definition.ts';
import type { Profile, Rewrite, RewriteResult } from './profile.ts';
import { repairTool } from './repair-tool.ts';

export interface ProfiledTool {
  readonly definition: Definition;
  readonly rewrites: readonly Rewrite[];
}

/**
 * Returns the tool with its input schema rewritten, and without anything that makes the client lose all other tools.
 * Every other byte stays. If nothing changes, `definition` is the same object.
 */
export function applyProfile(profile: Profile, definition: Definition): ProfiledTool {
  if (profile.name === 'none') return { definition, rewrites: [] };
  const members = readMembers(definition.json);
  const repaired = repairTool(definition, members);
  if (repaired === undefined) return rewriteSchema(profile, definition, members);
  const rewritten = rewriteSchema(profile, repaired.definition, readMembers(repaired.definition.json));
  return { definition: rewritten.definition, rewrites: [...rewritten.rewrites, ...repaired.rewrites] };
}

function rewriteSchema(profile: Profile, definition: Definition, members: readonly Member[]): ProfiledTool {
  const { json, keySpans } = definition;
  const found = members.find(({ key }) => key === 'inputSchema');
  if (found === undefined) return { definition, rewrites: [] };
  const schema = json.slice(found.start, found.end);
  const rewritten = profile.rewrite(schema);
  const { text } = rewritten;
  if (text === schema) return { definition, rewrites: [] };
  const edited = json.slice(0, found.start) + text + json.slice(found.end);
  const shift = text.length - schema.length;
  const marks = keySpans.map(({ start, end }) =>
    start > found.start ? { start: start + shift, end: end + shift } : { start, end },
  );
  return new LazyProfiledTool({ ...definition, json: edited, keySpans: marks }, rewritten);
}

/** A tool that computes its rewrites on demand. */
class LazyProfiledTool implements ProfiledTool {
  readonly definition: Definition;
  readonly #rewritten: RewriteResult;

  constructor(definition: Definition, rewritten: RewriteResult) {
    this.definition = definition;
    this.#rewritten = rewritten;
  }

  get rewrites(): readonly Rewrite[] {
    return this.#rewritten.rewrites;
  }
}
