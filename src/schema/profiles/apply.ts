import type { Definition } from '../definition.ts';
import type { Span } from '../write.ts';
import { findMembers } from './members.ts';
import type { Profile, Rewrite, Rewritten } from './profile.ts';

export interface Profiled {
  readonly definition: Definition;
  readonly rewrites: readonly Rewrite[];
}

/** The tool with its input schema rewritten; every other byte of it stays. The same object when nothing changes. */
export function applyProfile(profile: Profile, definition: Definition): Profiled {
  const { json, keyAt } = definition;
  const schemas = profile.name === 'none' ? [] : findMembers(json, 'inputSchema');
  const last = schemas.at(-1);
  if (last === undefined) return { definition, rewrites: [] };
  const schema = json.slice(last.start, last.end);
  const rewritten = profile.rewrite(schema);
  const { text } = rewritten;
  if (text === schema) return { definition, rewrites: [] };
  const edited = { ...definition, json: replace(json, schemas, text), keyAt: shift(keyAt, schemas, text) };
  return new LazyProfiled(edited, rewritten);
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

/** A schema that is written twice is the same twice: not every parser takes the last one. */
function replace(json: string, spans: readonly Span[], text: string): string {
  let replaced = '';
  let from = 0;
  for (const { start, end } of spans) {
    replaced += json.slice(from, start) + text;
    from = end;
  }
  return replaced + json.slice(from);
}

function shift(marks: readonly Span[], spans: readonly Span[], text: string): Span[] {
  return marks.map((mark) => {
    let by = 0;
    for (const { start, end } of spans) if (end <= mark.start) by += text.length - (end - start);
    return { start: mark.start + by, end: mark.end + by };
  });
}
