import { isObject, type JsonObject } from '../../../wire/messages.ts';
import { quote } from '../json.ts';
import type { SchemaKeywords } from './schema-keywords.ts';
import {
  capture,
  enter,
  isAnything,
  isOverBudget,
  leave,
  recordRewrite,
  type SchemaContext,
  type SchemaWriter,
  writeKey,
} from './schema-writer.ts';

export function writeProperties(writer: SchemaWriter, keywords: SchemaKeywords): void {
  const { properties, required } = keywords;
  const mayCut = writer.budget.cutsProperties && keywords.context.depth === 0;
  let kept: ReadonlySet<string> | undefined;
  if (properties !== undefined && !isObject(properties))
    recordRewrite(writer, 'properties left out', 'they are not an object');
  if (isObject(properties) || mayCut) {
    writer.text += `${writer.separator}"properties":{`;
    if (mayCut) kept = writeSome(writer, keywords);
    else if (isObject(properties)) writeAll(writer, properties, keywords.context);
    writer.text += '}';
    writer.separator = ',';
  }
  if (required !== undefined) writeRequired(writer, required, kept);
  if (kept === undefined) writeAdditional(writer, keywords);
  else recordRewrite(writer, 'properties left out, any others allowed', 'they are too large for a model');
}

function writeAll(writer: SchemaWriter, properties: JsonObject, context: SchemaContext): void {
  const inner: SchemaContext = { depth: context.depth + 1, knownTypes: undefined };
  let separator = '';
  for (const name in properties) {
    if (isOverBudget(writer)) return;
    writer.text += `${separator}${quote(name)}:`;
    separator = ',';
    enter(writer, 'properties', name);
    writer.write(writer, properties[name], inner);
    leave(writer, 2);
  }
}

/** Writes as many properties as fit, required ones first. */
function writeSome(writer: SchemaWriter, { properties, required, context }: SchemaKeywords): ReadonlySet<string> {
  const kept = new Set<string>();
  if (!isObject(properties)) return kept;
  const names: readonly unknown[] = Array.isArray(required) ? required : [];
  const needed = new Set(
    names.filter((name) => typeof name === 'string').filter((name) => Object.hasOwn(properties, name)),
  );
  let bytesLeft = writer.budget.maxBytes - Buffer.byteLength(writer.text) - RESERVED_BYTES;
  for (const name of [...needed, ...Object.keys(properties).filter((name) => !needed.has(name))]) {
    if (bytesLeft < SMALLEST_PROPERTY) break;
    const bytesAdded = writer.bytesAdded;
    enter(writer, 'properties', name);
    const written = capture(writer, () =>
      writer.write(writer, properties[name], { depth: context.depth + 1, knownTypes: undefined }),
    );
    leave(writer, 2);
    const key = JSON.stringify(name);
    const text = `${kept.size === 0 ? '' : ','}${key}:${written}`;
    const inList = needed.has(name) ? Buffer.byteLength(key) + 1 : 0;
    const bytes = Buffer.byteLength(text) + inList + writer.bytesAdded - bytesAdded;
    if (bytes > bytesLeft) {
      writer.bytesAdded = bytesAdded;
      continue;
    }
    bytesLeft -= bytes;
    writer.text += text;
    kept.add(name);
  }
  return kept;
}

/** For the brackets around the properties and the `required` list. */
const RESERVED_BYTES = 50;
const SMALLEST_PROPERTY = 24;

function writeRequired(writer: SchemaWriter, required: unknown, kept: ReadonlySet<string> | undefined): void {
  const names: readonly unknown[] = Array.isArray(required) ? required : [];
  let text = '';
  let isSound = names === required;
  for (const name of names) {
    if (typeof name !== 'string') isSound = false;
    else if (kept === undefined || kept.has(name)) text += text === '' ? quote(name) : `,${quote(name)}`;
  }
  if (!isSound) recordRewrite(writer, 'entries that are not names left out of required', 'Codex drops the tool');
  if (text !== '') writeKey(writer, 'required', `[${text}]`);
}

/**
 * Writes `additionalProperties`. Codex drops `patternProperties`, so the schema for other names must not forbid what
 * the patterns allow.
 */
function writeAdditional(writer: SchemaWriter, keywords: SchemaKeywords): void {
  const { additionalProperties: others, patternProperties } = keywords;
  if (others === undefined) return;
  const patterns = isObject(patternProperties) ? Object.keys(patternProperties) : [];
  const isSchema = isObject(others) && Object.keys(others).length > 0;
  const count = patterns.length + (isSchema ? 1 : 0);
  const isTooMuch = count > 1 && count > writer.budget.maxBranches;
  // `{}` is two bytes shorter than `true`. It is also what Codex leaves when it removes a reference.
  const anything = writer.budget.isCompact && others !== true ? '{}' : 'true';
  if (isTooMuch || !(isSchema || others === false)) {
    const isKept = others === true || (anything === '{}' && !isSchema && isObject(others));
    if (!isKept) recordRewrite(writer, 'additionalProperties became true', 'it allows anything');
    writer.text += `${writer.separator}"additionalProperties":${anything}`;
  } else if (patterns.length === 0 && others === false) {
    writer.text += `${writer.separator}"additionalProperties":false`;
  } else {
    if (patterns.length > 0) recordRewrite(writer, 'additionalProperties widened', 'Codex drops patternProperties');
    const { separator, bytesAdded } = writer;
    const union = { patterns, patternProperties, others: isSchema ? others : undefined };
    const text = capture(writer, () => writeUnion(writer, union, keywords.context));
    if (isAnything(text)) writer.bytesAdded = bytesAdded;
    writer.text += `${separator}"additionalProperties":${isAnything(text) ? anything : text}`;
  }
  writer.separator = ',';
}

interface Union {
  readonly patterns: readonly string[];
  readonly patternProperties: unknown;
  readonly others: JsonObject | undefined;
}

function writeUnion(
  writer: SchemaWriter,
  { patterns, patternProperties, others }: Union,
  context: SchemaContext,
): void {
  const depth = context.depth + 1;
  const isSeveral = patterns.length + (others === undefined ? 0 : 1) > 1;
  let separator = isSeveral ? '{"anyOf":[' : '';
  for (const pattern of isObject(patternProperties) ? patterns : []) {
    if (isOverBudget(writer)) break;
    writer.text += separator;
    separator = ',';
    enter(writer, 'patternProperties', pattern);
    writer.write(writer, Reflect.get(Object(patternProperties), pattern), { depth, knownTypes: undefined });
    leave(writer, 2);
  }
  if (others !== undefined) {
    writer.text += separator;
    enter(writer, 'additionalProperties');
    writer.write(writer, others, { depth, knownTypes: undefined });
    leave(writer, 1);
  }
  if (isSeveral) writer.text += ']}';
}
