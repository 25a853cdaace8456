import { isObject, type JsonObject, nameOf, quote } from '../json.ts';
import { describe, hasText } from './description.ts';
import { hasContents, writeContents } from './nested-schemas.ts';
import { refer, standsAlone } from './references.ts';
import { isComposed, type Parts, readParts } from './schema-keywords.ts';
import { isFull, note, type Place, PROPERTIES_ADDED, type Writing, writeAnything, writeKey } from './schema-writer.ts';
import { readChoices, readTypes } from './type-of-schema.ts';
import { declaredTypes, leafHead, typeHead } from './types.ts';

/**
 * Writes what Codex keeps of a schema, so that it accepts whatever the original accepts, also after Codex read it. What
 * stands at the top is left open for the definitions that follow.
 */
export function writeSchema(writing: Writing, schema: unknown, place: Place): void {
  const { path, pathLength } = writing;
  const origin = writing.origins?.get(schema);
  if (origin !== undefined) {
    writing.path = [...origin];
    writing.pathLength = origin.length;
  }
  if (isObject(schema)) {
    if (!writeLeaf(writing, schema, place)) writeObject(writing, schema, place);
  } else {
    note(writing, `${nameOf(schema)} became every type`, 'Codex takes it for a schema of text');
    if (schema === false && writing.thrift.tellsMore) writeAnything(writing, 'never allowed');
    else writeObject(writing, {}, place);
  }
  writing.path = path;
  writing.pathLength = pathLength;
}

/** The short way for most schemas: of one type, with a description at most. False when it is not one of these. */
function writeLeaf(writing: Writing, schema: JsonObject, { depth }: Place): boolean {
  let type: unknown;
  let description: unknown;
  for (const key in schema) {
    if (key === 'type') type = schema[key];
    else if (key === 'description') description = schema[key];
    else return false;
  }
  const head = leafHead(type);
  if (head === undefined || depth > writing.thrift.textDepth || depth === 0) return false;
  if (description === undefined) writing.text += `${head}}`;
  else if (typeof description !== 'string' || description.length > writing.thrift.maxText) return false;
  else writing.text += `${head},"description":${quote(description)}}`;
  writing.separator = ',';
  return true;
}

function writeObject(writing: Writing, schema: JsonObject, place: Place): void {
  const parts = readParts(schema, place);
  if (place.depth > HARMLESS_DEPTH) writing.mayBeDeep = true;
  if (parts.hasUnused && (place.depth > 0 || schema['encrypted'] !== undefined)) note(writing, UNUSED, WOULD_READ);
  const isElsewhere = place.depth > 0 && typeof parts.$id === 'string' && !parts.$id.startsWith('#');
  if (isElsewhere) writing.embedded++;
  writeParts(writing, parts);
  if (isElsewhere) writing.embedded--;
}

/** A schema puts four levels at most around the one inside it. */
const HARMLESS_DEPTH = 25;

const UNUSED = 'definitions and marks of no use here left out';
const WOULD_READ = 'Codex would read them, and drop the tool where they are not to its liking';

function writeParts(writing: Writing, parts: Parts): void {
  if (parts.$ref !== undefined) readReference(writing, parts);
  const choices = readChoices(writing, parts);
  prune(writing, parts);
  const description = hasText(parts) ? describe(writing, parts) : undefined;
  if (writing.thrift.isTerse && description === undefined && choices === undefined && isAnything(writing, parts)) {
    if (parts.type !== undefined || parts.anyOf || parts.oneOf || parts.allOf) note(writing, 'became {}', TOO_MUCH);
    writeAnything(writing);
    return;
  }
  const types = readTypes(writing, parts, choices);
  parts.types = types;

  writing.text += types === undefined ? '{' : typeHead(types);
  writing.separator = types === undefined ? '' : ',';
  if (description !== undefined) writeKey(writing, 'description', quote(description));
  if (choices?.text !== undefined) writeKey(writing, 'enum', choices.text);
  if (parts.reference !== undefined) writeKey(writing, '$ref', quote(parts.reference));
  if (!isFull(writing) && (hasContents(parts) || types?.includes('array'))) writeContents(writing, parts);
  if (types?.includes('object') && !isObject(parts.properties)) writing.bytesAdded += PROPERTIES_ADDED;
  if (parts.place.depth === 0) return;
  writing.text += '}';
  writing.separator = ',';
}

function readReference(writing: Writing, parts: Parts): void {
  const { $ref } = parts;
  const reference = typeof $ref === 'string' && writing.thrift.definitionDepth > 0 ? refer(writing, $ref) : undefined;
  parts.reference = reference;
  if (reference === undefined) note(writing, '$ref left out', 'it leads to nothing that Codex would have');
  else if (reference !== $ref) note(writing, '$ref became ', 'what it leads to stands there now', reference);
  if (standsAlone(writing.root)) forgetMeaningless(writing, parts);
}

function forgetMeaningless(writing: Writing, parts: Parts): void {
  const found = ASSERTIONS.filter((keyword) => parts[keyword] !== undefined);
  if (found.length === 0) return;
  for (const keyword of found) parts[keyword] = undefined;
  note(writing, `${found.join(', ')} beside $ref left out`, 'the draft that $schema names ignores them');
}

/** Whether nothing that restricts a value would be written. */
function isAnything({ thrift }: Writing, parts: Parts): boolean {
  const { place, properties, required, items, prefixItems, additionalProperties } = parts;
  if (place.depth === 0 || parts.reference !== undefined) return false;
  if (declaredTypes(parts.type) !== undefined || isComposed(parts, thrift.maxBranches)) return false;
  return [properties, required, items, prefixItems, additionalProperties].every((inside) => inside === undefined);
}

const INSIDE = [
  'properties',
  'patternProperties',
  'additionalProperties',
  'required',
  'items',
  'prefixItems',
  'anyOf',
  'oneOf',
  'allOf',
] as const;
const ASSERTIONS = ['type', 'nullable', 'enum', 'const', ...INSIDE] as const;

const TOO_MUCH = 'Codex drops descriptions and deep parts of schemas over 5000 bytes';

/** For a schema that is too deep: writes only its type, or nothing. */
function prune(writing: Writing, parts: Parts): void {
  if (parts.place.depth < writing.maxDepth) return;
  const { keepsTypes } = writing.thrift;
  if (keepsTypes ? !hasContents(parts) : isSimple(parts)) return;
  for (const keyword of INSIDE) parts[keyword] = undefined;
  if (!keepsTypes) parts.type = undefined;
  note(writing, 'contents left out', TOO_MUCH);
}

/**
 * Whether Codex keeps the schema as it is. Codex adds missing parts to an array or object, and then removes it because
 * it has contents. It keeps `enum` and `const`.
 */
function isSimple(parts: Parts): boolean {
  const hasChoices = parts.enum !== undefined || parts.const !== undefined;
  if (hasChoices) return !hasContents(parts) || isListOfAnything(parts);
  const isContainer = declaredTypes(parts.type)?.some((type) => type === 'array' || type === 'object');
  return !hasContents(parts) && isContainer !== true;
}

/** An array schema that contains nothing but empty `items`. */
function isListOfAnything({ items, properties, required, additionalProperties, anyOf, oneOf, allOf }: Parts): boolean {
  const others = [properties, required, additionalProperties, anyOf, oneOf, allOf];
  return isObject(items) && Object.keys(items).length === 0 && others.every((other) => other === undefined);
}
