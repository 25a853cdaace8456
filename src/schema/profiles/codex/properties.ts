import { isObject, type JsonObject, quote } from '../json.ts';
import type { Parts } from './schema-keywords.ts';
import {
  capture,
  enter,
  isAnything,
  isFull,
  leave,
  note,
  type Place,
  type Writing,
  writeKey,
} from './schema-writer.ts';

export function writeProperties(writing: Writing, parts: Parts): void {
  const { properties, required } = parts;
  const mayCut = writing.thrift.cutsProperties && parts.place.depth === 0;
  let kept: ReadonlySet<string> | undefined;
  if (properties !== undefined && !isObject(properties)) note(writing, 'properties left out', 'they are not an object');
  if (isObject(properties) || mayCut) {
    writing.text += `${writing.separator}"properties":{`;
    if (mayCut) kept = writeSome(writing, parts);
    else if (isObject(properties)) writeAll(writing, properties, parts.place);
    writing.text += '}';
    writing.separator = ',';
  }
  if (required !== undefined) writeRequired(writing, required, kept);
  if (kept === undefined) writeAdditional(writing, parts);
  else note(writing, 'properties left out, any others allowed', 'they are too large for a model');
}

function writeAll(writing: Writing, properties: JsonObject, place: Place): void {
  const inner: Place = { depth: place.depth + 1, known: undefined };
  let separator = '';
  for (const name in properties) {
    if (isFull(writing)) return;
    writing.text += `${separator}${quote(name)}:`;
    separator = ',';
    enter(writing, 'properties', name);
    writing.write(writing, properties[name], inner);
    leave(writing, 2);
  }
}

/** As many as fit, those that must be given first. */
function writeSome(writing: Writing, { properties, required, place }: Parts): ReadonlySet<string> {
  const kept = new Set<string>();
  if (!isObject(properties)) return kept;
  const names: readonly unknown[] = Array.isArray(required) ? required : [];
  const needed = new Set(
    names.filter((name) => typeof name === 'string').filter((name) => Object.hasOwn(properties, name)),
  );
  let bytesLeft = writing.thrift.maxBytes - Buffer.byteLength(writing.text) - RESERVED_BYTES;
  for (const name of [...needed, ...Object.keys(properties).filter((name) => !needed.has(name))]) {
    if (bytesLeft < SMALLEST_PROPERTY) break;
    const bytesAdded = writing.bytesAdded;
    enter(writing, 'properties', name);
    const written = capture(writing, () =>
      writing.write(writing, properties[name], { depth: place.depth + 1, known: undefined }),
    );
    leave(writing, 2);
    const key = JSON.stringify(name);
    const text = `${kept.size === 0 ? '' : ','}${key}:${written}`;
    const inList = needed.has(name) ? Buffer.byteLength(key) + 1 : 0;
    const bytes = Buffer.byteLength(text) + inList + writing.bytesAdded - bytesAdded;
    if (bytes > bytesLeft) {
      writing.bytesAdded = bytesAdded;
      continue;
    }
    bytesLeft -= bytes;
    writing.text += text;
    kept.add(name);
  }
  return kept;
}

/** For the brackets around the properties and the list of those that must be given. */
const RESERVED_BYTES = 50;
const SMALLEST_PROPERTY = 24;

function writeRequired(writing: Writing, required: unknown, kept: ReadonlySet<string> | undefined): void {
  const names: readonly unknown[] = Array.isArray(required) ? required : [];
  let text = '';
  let isSound = names === required;
  for (const name of names) {
    if (typeof name !== 'string') isSound = false;
    else if (kept === undefined || kept.has(name)) text += text === '' ? quote(name) : `,${quote(name)}`;
  }
  if (!isSound) note(writing, 'what is no name left out of required', 'Codex drops the tool');
  if (text !== '') writeKey(writing, 'required', `[${text}]`);
}

/** Codex drops patterns of names: what they allow must not be forbidden by what is said about the other names. */
function writeAdditional(writing: Writing, parts: Parts): void {
  const { additionalProperties: others, patternProperties } = parts;
  if (others === undefined) return;
  const patterns = isObject(patternProperties) ? Object.keys(patternProperties) : [];
  const isSchema = isObject(others) && Object.keys(others).length > 0;
  const count = patterns.length + (isSchema ? 1 : 0);
  const isTooMuch = count > 1 && count > writing.thrift.maxBranches;
  // `{}` is two bytes shorter than `true`. It is also what Codex leaves when it removes a reference.
  const anything = writing.thrift.isTerse && others !== true ? '{}' : 'true';
  if (isTooMuch || !(isSchema || others === false)) {
    const isKept = others === true || (anything === '{}' && !isSchema && isObject(others));
    if (!isKept) note(writing, 'additionalProperties became true', 'it allows anything');
    writing.text += `${writing.separator}"additionalProperties":${anything}`;
  } else if (patterns.length === 0 && others === false) {
    writing.text += `${writing.separator}"additionalProperties":false`;
  } else {
    if (patterns.length > 0) note(writing, 'additionalProperties widened', 'Codex drops patternProperties');
    const { separator, bytesAdded } = writing;
    const union = { patterns, patternProperties, others: isSchema ? others : undefined };
    const text = capture(writing, () => writeUnion(writing, union, parts.place));
    if (isAnything(text)) writing.bytesAdded = bytesAdded;
    writing.text += `${separator}"additionalProperties":${isAnything(text) ? anything : text}`;
  }
  writing.separator = ',';
}

interface Union {
  readonly patterns: readonly string[];
  readonly patternProperties: unknown;
  readonly others: JsonObject | undefined;
}

function writeUnion(writing: Writing, { patterns, patternProperties, others }: Union, place: Place): void {
  const depth = place.depth + 1;
  const isSeveral = patterns.length + (others === undefined ? 0 : 1) > 1;
  let separator = isSeveral ? '{"anyOf":[' : '';
  for (const pattern of isObject(patternProperties) ? patterns : []) {
    if (isFull(writing)) break;
    writing.text += separator;
    separator = ',';
    enter(writing, 'patternProperties', pattern);
    writing.write(writing, Reflect.get(Object(patternProperties), pattern), { depth, known: undefined });
    leave(writing, 2);
  }
  if (others !== undefined) {
    writing.text += separator;
    enter(writing, 'additionalProperties');
    writing.write(writing, others, { depth, known: undefined });
    leave(writing, 1);
  }
  if (isSeveral) writing.text += ']}';
}
