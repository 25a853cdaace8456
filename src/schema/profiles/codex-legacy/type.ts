import type { Outline } from '../../outline.ts';
import { type LegacyChanges, note } from './legacy-changes.ts';

/** `integer` becomes `number`, and a type that is missing or unknown is guessed. At the top it is always `object`. */
export function rewriteType(changes: LegacyChanges, node: number): void {
  const { outline } = changes;
  const type = outline.find(node, 'type');
  if (node === 0) {
    if (type === undefined || !outline.isText(type, 'object')) setType(changes, node, OBJECT);
    return;
  }
  if (type !== undefined && outline.isList(type)) {
    rewriteTypes(changes, node, type);
    return;
  }
  const word: unknown = type === undefined ? undefined : outline.value(type);
  if (typeof word === 'string' && KNOWN.has(word)) return;
  setType(changes, node, word === 'integer' ? NUMBER : guess(outline, node));
}

const KNOWN: ReadonlySet<unknown> = new Set(['boolean', 'string', 'number', 'array', 'object']);

interface Choice {
  readonly type: string;
  readonly why: string;
  readonly acceptsLess: boolean;
}

const OBJECT: Choice = { type: 'object', why: 'the arguments of a call are an object', acceptsLess: false };
const NUMBER: Choice = { type: 'number', why: 'Codex does not know integer', acceptsLess: false };

function setType(changes: LegacyChanges, node: number, { type, why, acceptsLess }: Choice): void {
  const written = changes.outline.findAll(node, 'type');
  for (const old of written) changes.replaced.set(old, `"${type}"`);
  if (written.length === 0) changes.added.set(node, `"type":"${type}"`);
  note(changes, { what: `type ${written.length === 0 ? 'added' : 'became'}: ${type}`, why, acceptsLess });
}

/** A list of types stays a list, in which every type stands once. */
function rewriteTypes(changes: LegacyChanges, node: number, list: number): void {
  const types: unknown = changes.outline.value(list);
  if (!Array.isArray(types) || !types.includes('integer')) return;
  const numbers = new Set(types.map((type: unknown) => (type === 'integer' ? 'number' : type)));
  for (const old of changes.outline.findAll(node, 'type')) changes.replaced.set(old, JSON.stringify([...numbers]));
  note(changes, { what: 'integer became number', why: NUMBER.why, acceptsLess: false });
}

/** By the first value, else by what the schema says about members or items, else text. */
function guess(outline: Outline, node: number): Choice {
  const choices = outline.find(node, 'enum');
  const values = choices !== undefined && outline.isList(choices) ? outline.contents(choices) : [];
  const [first, ...others] = values;
  if (first !== undefined) {
    const type = typeOfValue(outline, first);
    const acceptsLess = others.some((value) => typeOfValue(outline, value) !== type);
    return { type, why: `${MISSING} the first value has this one`, acceptsLess };
  }
  if (outline.find(node, 'properties') !== undefined) return guessed('object', 'it has properties');
  if (outline.find(node, 'items') !== undefined) return guessed('array', 'it has items');
  return guessed('string', 'nothing else is said');
}

const MISSING = 'Codex wants a type that it knows;';

function guessed(type: string, reason: string): Choice {
  return { type, why: `${MISSING} ${reason}`, acceptsLess: true };
}

/** There is no type null for an old Codex: it would drop the tool. */
function typeOfValue(outline: Outline, node: number): string {
  if (outline.isString(node)) return 'string';
  if (outline.isObject(node)) return 'object';
  if (outline.isList(node)) return 'array';
  if (outline.isBoolean(node)) return 'boolean';
  return outline.text(node) === 'null' ? 'string' : 'number';
}
