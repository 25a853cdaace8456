import { cut } from '../../../base/text/truncate.ts';
import { isObject, nameOf, toJson } from '../json.ts';
import { note, type Reading, replaceMember } from './rewrite-context.ts';
import { rewriteType, typeOfSchema } from './type.ts';

export type Schema = Record<string, unknown>;

/** Gives the schema and every schema inside it, in place, what an old Codex needs. */
export function rewriteSchema(reading: Reading, schema: Schema, depth: number): void {
  if (depth > HARMLESS_DEPTH) reading.mayBeDeep = true;
  rewriteType(reading, schema, depth);
  for (const key in schema) {
    switch (key) {
      case 'properties':
      case 'patternProperties':
      case '$defs':
      case 'definitions':
        if (isObject(schema[key])) rewriteEach(reading, schema, key, depth);
        else leaveOut(reading, schema, key);
        break;
      case 'anyOf':
      case 'oneOf':
      case 'allOf':
      case 'prefixItems':
        if (Array.isArray(schema[key])) rewriteEach(reading, schema, key, depth);
        else leaveOut(reading, schema, key);
        break;
      case 'items':
        if (Array.isArray(schema[key])) rewriteTuple(reading, schema, schema[key], depth);
        else rewriteMember(reading, schema, key, depth);
        break;
      case 'not':
        reading.isNegated = !reading.isNegated;
        rewriteMember(reading, schema, key, depth);
        reading.isNegated = !reading.isNegated;
        break;
      case 'additionalProperties':
        if (typeof schema[key] !== 'boolean') rewriteMember(reading, schema, key, depth);
        break;
      case 'required':
        if (!isListOfNames(schema[key])) leaveOut(reading, schema, key);
        break;
      case 'description':
        if (typeof schema[key] !== 'string') rewriteDescription(reading, schema);
    }
  }
}

/** What a server lists is nested less than a hundred deep, and only what stands for a tuple adds a level. */
const HARMLESS_DEPTH = 20;

/** The schemas in an object or list. */
function rewriteEach(reading: Reading, schema: Schema, keyword: string, depth: number): void {
  const holder = schema[keyword] as Schema;
  reading.path.push(keyword);
  for (const key in holder) rewriteMember(reading, holder, key, depth);
  reading.path.pop();
}

function rewriteMember(reading: Reading, holder: Schema, key: string, depth: number): void {
  const schema = holder[key];
  reading.path.push(key);
  if (!isObject(schema)) {
    note(reading, { what: `${nameOf(schema)} became text`, why: NO_SCHEMA, acceptsLess: true });
    replaceMember(holder, key, { type: 'string' });
  } else if (depth === reading.maxDepth) keepType(reading, holder, key);
  else rewriteSchema(reading, schema, depth + 1);
  reading.path.pop();
}

const NO_SCHEMA = 'Codex wants an object with a type';

function keepType(reading: Reading, holder: Schema, key: string): void {
  const schema = holder[key];
  const type = typeOfSchema(schema);
  if (isObject(schema) && schema['type'] === type && Object.keys(schema).length === 1) return;
  note(reading, { what: `only its type kept: ${type}`, why: 'it is nested too deep', acceptsLess: true });
  replaceMember(holder, key, { type });
}

/** A schema for each item becomes one for all: Codex drops the tool otherwise. */
function rewriteTuple(reading: Reading, schema: Schema, members: readonly unknown[], depth: number): void {
  reading.path.push('items');
  note(reading, { what: 'one schema for every item', why: 'Codex drops a tool with one for each', acceptsLess: true });
  reading.path.pop();
  rewriteEach(reading, schema, 'items', depth);
  const [type = 'string', ...others] = new Set(members.map(typeOfSchema));
  const common = others.length === 0 ? type : 'string';
  schema['items'] = members.length === 0 ? { type: 'string' } : { type: common, anyOf: members };
}

function rewriteDescription(reading: Reading, schema: Schema): void {
  if (schema['description'] === null) {
    leaveOut(reading, schema, 'description');
    return;
  }
  schema['description'] = cut(toJson(schema['description']) ?? '…', MAX_LENGTH);
  note(reading, { what: 'description became text', why: 'Codex drops the tool', acceptsLess: false });
}

const MAX_LENGTH = 200;

function leaveOut(reading: Reading, schema: Schema, key: string): void {
  delete schema[key];
  note(reading, {
    what: `${key} left out`,
    why: 'it is not what it should be: Codex drops the tool',
    acceptsLess: false,
  });
}

function isListOfNames(required: unknown): boolean {
  return Array.isArray(required) && required.every((name) => typeof name === 'string');
}
