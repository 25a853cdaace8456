import { truncate } from '../../../base/text/truncate.ts';
import { isObject } from '../../../wire/messages.ts';
import { describeValue, toJson } from '../json.ts';
import { type RewriteContext, recordRewrite, replaceMember } from './rewrite-context.ts';
import { rewriteType, typeOfSchema } from './type.ts';

export type Schema = Record<string, unknown>;

/** Adds, in place, what an old Codex needs to the schema and to every schema inside it. */
export function rewriteSchema(context: RewriteContext, schema: Schema, depth: number): void {
  if (depth > HARMLESS_DEPTH) context.mayBeDeep = true;
  rewriteType(context, schema, depth);
  for (const key in schema) {
    switch (key) {
      case 'properties':
      case 'patternProperties':
      case '$defs':
      case 'definitions':
        if (isObject(schema[key])) rewriteEach(context, schema, key, depth);
        else leaveOut(context, schema, key);
        break;
      case 'anyOf':
      case 'oneOf':
      case 'allOf':
      case 'prefixItems':
        if (Array.isArray(schema[key])) rewriteEach(context, schema, key, depth);
        else leaveOut(context, schema, key);
        break;
      case 'items':
        if (Array.isArray(schema[key])) rewriteTuple(context, schema, schema[key], depth);
        else rewriteMember(context, schema, key, depth);
        break;
      case 'not':
        context.isNegated = !context.isNegated;
        rewriteMember(context, schema, key, depth);
        context.isNegated = !context.isNegated;
        break;
      case 'additionalProperties':
        if (typeof schema[key] !== 'boolean') rewriteMember(context, schema, key, depth);
        break;
      case 'required':
        if (!isListOfNames(schema[key])) leaveOut(context, schema, key);
        break;
      case 'description':
        if (typeof schema[key] !== 'string') rewriteDescription(context, schema);
    }
  }
}

/** A listed schema is nested less than a hundred levels deep, and only the replacement of a tuple adds a level. */
const HARMLESS_DEPTH = 20;

/** Rewrites the schemas in an object or list. */
function rewriteEach(context: RewriteContext, schema: Schema, keyword: string, depth: number): void {
  const holder = schema[keyword] as Schema;
  context.path.push(keyword);
  for (const key in holder) rewriteMember(context, holder, key, depth);
  context.path.pop();
}

function rewriteMember(context: RewriteContext, holder: Schema, key: string, depth: number): void {
  const schema = holder[key];
  context.path.push(key);
  if (!isObject(schema)) {
    recordRewrite(context, { what: `${describeValue(schema)} became text`, why: NO_SCHEMA, acceptsLess: true });
    replaceMember(holder, key, { type: 'string' });
  } else if (depth === context.maxDepth) keepType(context, holder, key);
  else rewriteSchema(context, schema, depth + 1);
  context.path.pop();
}

const NO_SCHEMA = 'Codex requires an object with a type';

function keepType(context: RewriteContext, holder: Schema, key: string): void {
  const schema = holder[key];
  const type = typeOfSchema(schema);
  if (isObject(schema) && schema['type'] === type && Object.keys(schema).length === 1) return;
  recordRewrite(context, { what: `only its type kept: ${type}`, why: 'it is nested too deeply', acceptsLess: true });
  replaceMember(holder, key, { type });
}

/** Replaces one schema for each item by one for all: otherwise Codex drops the tool. */
function rewriteTuple(context: RewriteContext, schema: Schema, members: readonly unknown[], depth: number): void {
  context.path.push('items');
  recordRewrite(context, {
    what: 'one schema for every item',
    why: 'Codex drops a tool with a schema for each item',
    acceptsLess: true,
  });
  context.path.pop();
  rewriteEach(context, schema, 'items', depth);
  const [type = 'string', ...others] = new Set(members.map(typeOfSchema));
  const common = others.length === 0 ? type : 'string';
  schema['items'] = members.length === 0 ? { type: 'string' } : { type: common, anyOf: members };
}

function rewriteDescription(context: RewriteContext, schema: Schema): void {
  if (schema['description'] === null) {
    leaveOut(context, schema, 'description');
    return;
  }
  schema['description'] = truncate(toJson(schema['description']) ?? '…', MAX_LENGTH);
  recordRewrite(context, { what: 'description became text', why: 'Codex drops the tool', acceptsLess: false });
}

const MAX_LENGTH = 200;

function leaveOut(context: RewriteContext, schema: Schema, key: string): void {
  delete schema[key];
  recordRewrite(context, {
    what: `${key} left out`,
    why: 'it is not valid: Codex drops the tool',
    acceptsLess: false,
  });
}

function isListOfNames(required: unknown): boolean {
  return Array.isArray(required) && required.every((name) => typeof name === 'string');
}
