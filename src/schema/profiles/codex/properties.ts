import { isObject, type JsonObject } from '../json.ts';
import type { Parts } from './parts.ts';
import { MAX_BYTES } from './thrift.ts';
import { capture, type Inner, isFull, note, type Writing } from './writing.ts';

export function writeProperties(writing: Writing, parts: Parts, inner: Inner): void {
  const { properties, required } = parts;
  const mayCut = writing.thrift.cutsProperties && inner.place.depth === 0;
  let kept: ReadonlySet<string> | undefined;
  if (properties !== undefined && !isObject(properties)) note(writing, 'properties left out', 'they are not an object');
  if (isObject(properties) || mayCut) {
    writing.text += `${writing.separator}"properties":{`;
    if (mayCut) kept = writeSome(writing, parts, inner);
    else if (isObject(properties)) writeAll(writing, properties, inner);
    writing.text += '}';
    writing.separator = ',';
  }
  if (required !== undefined) writeRequired(writing, required, kept);
  if (kept === undefined) writeAdditional(writing, parts, inner);
  else note(writing, 'properties left out, any others allowed', 'the whole must stay under 5000 bytes');
}

function writeAll(writing: Writing, properties: JsonObject, { place, write }: Inner): void {
  const { path } = writing;
  const depth = place.depth + 1;
  let separator = '';
  for (const name in properties) {
    if (isFull(writing)) return;
    writing.text += `${separator}${JSON.stringify(name)}:`;
    separator = ',';
    path.push('properties', name);
    write(writing, properties[name], { depth, name, known: undefined });
    path.length -= 2;
  }
}

/** As many as fit, those that must be given first. */
function writeSome(writing: Writing, { properties, required }: Parts, { place, write }: Inner): ReadonlySet<string> {
  const kept = new Set<string>();
  if (!isObject(properties)) return kept;
  const needed = new Set(Array.isArray(required) ? required.filter((name) => Object.hasOwn(properties, name)) : []);
  let bytesLeft = MAX_BYTES - Buffer.byteLength(writing.text) - RESERVED_BYTES;
  for (const name of [...needed, ...Object.keys(properties).filter((name) => !needed.has(name))]) {
    if (bytesLeft < SMALLEST_PROPERTY) break;
    const bytesAdded = writing.bytesAdded;
    writing.path.push('properties', name);
    const written = capture(writing, () =>
      write(writing, properties[name], { depth: place.depth + 1, name, known: undefined }),
    );
    writing.path.length -= 2;
    const key = JSON.stringify(name);
    const text = `${kept.size === 0 ? '' : ','}${key}:${written}`;
    const bytes = Buffer.byteLength(text) + Buffer.byteLength(key) + 1 + writing.bytesAdded - bytesAdded;
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
  const names = Array.isArray(required) ? required.filter((name): name is string => typeof name === 'string') : [];
  if (!Array.isArray(required) || names.length < required.length) {
    note(writing, 'what is no name left out of required', 'Codex drops the tool');
  }
  const left = kept === undefined ? names : names.filter((name) => kept.has(name));
  if (left.length === 0) return;
  writing.text += `${writing.separator}"required":${JSON.stringify(left)}`;
  writing.separator = ',';
}

/** Codex drops patterns of names: what they allow must not be forbidden by what is said about the other names. */
function writeAdditional(writing: Writing, parts: Parts, inner: Inner): void {
  const { additionalProperties: others, patternProperties } = parts;
  if (others === undefined) return;
  const patterns = isObject(patternProperties) ? Object.keys(patternProperties) : [];
  const isSchema = isObject(others) && Object.keys(others).length > 0;
  const isTooMuch = patterns.length > writing.thrift.maxChoices;
  if (isTooMuch || !(isSchema || others === false)) {
    if (others !== true) note(writing, 'additionalProperties became true', 'it allows anything');
    writing.text += `${writing.separator}"additionalProperties":true`;
  } else if (patterns.length === 0 && others === false) {
    writing.text += `${writing.separator}"additionalProperties":false`;
  } else {
    if (patterns.length > 0) note(writing, 'additionalProperties widened', 'Codex drops patternProperties');
    writing.text += `${writing.separator}"additionalProperties":`;
    writeUnion(writing, { patterns, patternProperties, others: isSchema ? others : undefined }, inner);
  }
  writing.separator = ',';
}

interface Union {
  readonly patterns: readonly string[];
  readonly patternProperties: unknown;
  readonly others: JsonObject | undefined;
}

function writeUnion(writing: Writing, { patterns, patternProperties, others }: Union, { place, write }: Inner): void {
  const { path } = writing;
  const depth = place.depth + 1;
  const isSeveral = patterns.length + (others === undefined ? 0 : 1) > 1;
  let separator = isSeveral ? '{"anyOf":[' : '';
  for (const pattern of isObject(patternProperties) ? patterns : []) {
    if (isFull(writing)) break;
    writing.text += separator;
    separator = ',';
    path.push('patternProperties', pattern);
    write(writing, Reflect.get(Object(patternProperties), pattern), { depth, name: '', known: undefined });
    path.length -= 2;
  }
  if (others !== undefined) {
    writing.text += separator;
    path.push('additionalProperties');
    write(writing, others, { depth, name: '', known: undefined });
    path.length -= 1;
  }
  if (isSeveral) writing.text += ']}';
}
