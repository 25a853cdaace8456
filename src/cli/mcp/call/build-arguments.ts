import { AppError } from '../../../base/errors.ts';
import { quoteIfNeeded } from '../../../base/text/visible-text.ts';
import { isObject, type JsonObject } from '../../../wire/messages.ts';
import { propertySchema } from '../../input-schema/alternatives.ts';
import type { ArgumentPair } from './argument-pairs.ts';
import { parseExact } from './exact-json.ts';
import { parseTypedList, parseTypedValue } from './typed-value.ts';

/**
 * Builds the arguments of a call from the typed pairs, with types from the tool's schema: `key=value`, repeated for a
 * list, `key.member=value` for a member of an object. They override `base`, the value of `--args`.
 */
export function buildArguments(pairs: readonly ArgumentPair[], base: JsonObject, schema: unknown): JsonObject {
  const groups = new Map<string, Group>();
  for (const written of pairs) {
    const pair = resolveColon(written, schema);
    const path = argumentPath(pair.key, schema);
    const name = JSON.stringify(path);
    groups.set(name, { path, pairs: [...(groups.get(name)?.pairs ?? []), pair] });
  }
  return [...groups.values()].reduce((built, group) => withMember(built, group.path, parseGroup(group, schema)), base);
}

interface Group {
  readonly path: readonly string[];
  readonly pairs: readonly ArgumentPair[];
}

/** `url:https://host?a=b` has two readings: the first separator after a known key counts, and otherwise the `=`. */
function resolveColon(pair: ArgumentPair, schema: unknown): ArgumentPair {
  if (pair.colon === undefined || !isKnownKey(pair.colon.key, schema)) return pair;
  return { ...pair.colon, isJson: false };
}

function isKnownKey(key: string, schema: unknown): boolean {
  const inside = argumentPath(key, schema).reduce<unknown>(
    (outer, name) => propertySchema(outer, name, schema),
    schema,
  );
  return inside !== undefined;
}

/** Splits a key at a dot only if the schema defines the part before the dot and not the whole key. */
function argumentPath(key: string, schema: unknown): readonly string[] {
  const path: string[] = [];
  let rest = key;
  let inside = schema;
  for (;;) {
    const known = propertySchema(inside, rest, schema);
    const dot = known === undefined ? rest.indexOf('.') : -1;
    const head = rest.slice(0, dot);
    const next = dot <= 0 ? undefined : propertySchema(inside, head, schema);
    if (next === undefined || dot === rest.length - 1) return [...path, rest];
    path.push(head);
    rest = rest.slice(dot + 1);
    inside = next;
  }
}

function parseGroup({ path, pairs }: Group, schema: unknown): unknown {
  const inside = path.reduce<unknown>((outer, name) => propertySchema(outer, name, schema), schema);
  const [first, ...more] = pairs;
  if (first === undefined) return undefined;
  if (more.length === 0) return first.isJson ? parseExact(first.text) : parseTypedValue(first.text, inside, schema);
  const typed = parseTypedList(
    pairs.map(({ text }) => text),
    inside,
    schema,
  );
  if (!Array.isArray(typed))
    throw new AppError('USAGE', `${quoteIfNeeded(first.key)} is given ${pairs.length} times, but takes one value.`, {
      data: { fields: [{ field: first.key, message: 'given more than once' }] },
    });
  return typed.map((value, index) => (pairs[index]?.isJson === true ? parseExact(pairs[index].text) : value));
}

/** `Object.fromEntries` also creates own properties for names such as `__proto__`. */
function withMember(members: JsonObject, [name = '', ...rest]: readonly string[], value: unknown): JsonObject {
  const old = Object.hasOwn(members, name) ? members[name] : undefined;
  const inner = rest.length === 0 ? value : withMember(isObject(old) ? old : {}, rest, value);
  return Object.fromEntries([...Object.entries(members).filter(([key]) => key !== name), [name, inner]]);
}
