import { remove } from '../../changes.ts';
import { cut } from '../codex/words.ts';
import { type LegacyChanges, note } from './legacy-changes.ts';
import { rewriteType } from './type.ts';

/** Gives the schema and every schema inside it what an old Codex needs. */
export function rewriteSchema(changes: LegacyChanges, node: number): void {
  const { outline } = changes;
  if (!outline.isObject(node)) {
    changes.replaced.set(node, '{"type":"string"}');
    note(changes, { what: `${cut(outline.text(node), 20)} became text`, why: NO_SCHEMA, acceptsLess: true });
    return;
  }
  rewriteType(changes, node);
  rewriteDescription(changes, node);
  for (const inner of outline.contents(node)) {
    const key = outline.key(inner);
    if (!INNER.has(key) || outline.find(node, key) !== inner) continue;
    changes.path.push(key);
    rewriteInner(changes, { parent: node, key, node: inner });
    changes.path.length -= 1;
  }
}

const NO_SCHEMA = 'Codex wants an object with a type';

/** The keywords under which schemas stand, and those that cost Codex the tool when they are not as they should be. */
const INNER: ReadonlySet<string> = new Set([
  ...['properties', 'patternProperties', '$defs', 'definitions'],
  ...['anyOf', 'oneOf', 'allOf', 'prefixItems', 'items', 'not', 'additionalProperties', 'required'],
]);

interface Member {
  readonly parent: number;
  readonly key: string;
  readonly node: number;
}

function rewriteInner(changes: LegacyChanges, member: Member): void {
  const { outline } = changes;
  const { key, node } = member;
  switch (key) {
    case 'properties':
    case 'patternProperties':
    case '$defs':
    case 'definitions':
      if (outline.isObject(node)) rewriteEach(changes, node);
      else leaveOut(changes, member, 'it is not an object');
      break;
    case 'anyOf':
    case 'oneOf':
    case 'allOf':
    case 'prefixItems':
      if (outline.isList(node)) rewriteEach(changes, node);
      else leaveOut(changes, member, 'it is not a list');
      break;
    case 'items':
      if (outline.isList(node)) rewriteTuple(changes, node);
      else rewriteSchema(changes, node);
      break;
    case 'not':
      changes.isNegated = !changes.isNegated;
      rewriteSchema(changes, node);
      changes.isNegated = !changes.isNegated;
      break;
    case 'additionalProperties':
      if (outline.isObject(node)) rewriteSchema(changes, node);
      else if (!outline.isBoolean(node)) leaveOut(changes, member, 'it is not a schema');
      break;
    case 'required':
      if (!isListOfNames(changes, node)) leaveOut(changes, member, 'it is not a list of names');
  }
}

function rewriteEach(changes: LegacyChanges, node: number): void {
  const { outline, path } = changes;
  const isList = outline.isList(node);
  const contents = outline.contents(node);
  const last = isList ? undefined : new Map(contents.map((inner) => [outline.key(inner), inner]));
  for (const [index, inner] of contents.entries()) {
    const key = isList ? String(index) : outline.key(inner);
    if (last !== undefined && last.get(key) !== inner) continue;
    path.push(key);
    rewriteSchema(changes, inner);
    path.length -= 1;
  }
}

/** A schema for each item becomes one for all: Codex drops the tool otherwise. */
function rewriteTuple(changes: LegacyChanges, node: number): void {
  const { outline, wraps } = changes;
  const types = new Set(outline.contents(node).map((member) => typeOfMember(changes, member)));
  const [type = 'string', ...others] = types;
  note(changes, { what: 'one schema for every item', why: 'Codex drops a tool with one for each', acceptsLess: true });
  if (types.size === 0) {
    changes.replaced.set(node, '{"type":"string"}');
    return;
  }
  rewriteEach(changes, node);
  const common = others.length === 0 ? type : 'string';
  wraps.push({ start: outline.start(node), end: outline.start(node) + 1, text: `{"type":"${common}","anyOf":[` });
  wraps.push({ start: outline.end(node) - 1, end: outline.end(node), text: ']}' });
}

function typeOfMember({ outline }: LegacyChanges, member: number): string {
  const type = outline.isObject(member) ? outline.find(member, 'type') : undefined;
  const word = type === undefined ? undefined : outline.value(type);
  if (word === 'integer') return 'number';
  return typeof word === 'string' && KNOWN.has(word) ? word : 'string';
}

const KNOWN: ReadonlySet<string> = new Set(['boolean', 'string', 'number', 'array', 'object']);

function rewriteDescription(changes: LegacyChanges, node: number): void {
  const { outline } = changes;
  const description = outline.find(node, 'description');
  if (description === undefined || outline.isString(description)) return;
  const text = JSON.stringify(cut(outline.text(description), MAX_LENGTH));
  for (const written of outline.findAll(node, 'description')) changes.replaced.set(written, text);
  note(changes, { what: 'description became text', why: 'Codex drops the tool', acceptsLess: false });
}

const MAX_LENGTH = 200;

function leaveOut(changes: LegacyChanges, { parent, key }: Member, why: string): void {
  remove(changes, parent, changes.outline.findAll(parent, key));
  note(changes, { what: 'left out', why, acceptsLess: false });
}

function isListOfNames({ outline }: LegacyChanges, node: number): boolean {
  return outline.isList(node) && outline.contents(node).every((name) => outline.isString(name));
}
