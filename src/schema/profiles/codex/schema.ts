import { isObject, type JsonObject } from '../json.ts';
import { hasContents, writeContents } from './contents.ts';
import { describe } from './description.ts';
import { type Parts, readParts } from './parts.ts';
import { refer } from './references.ts';
import { readChoices, readTypes } from './type-of-schema.ts';
import { typesText } from './types.ts';
import { isFull, note, type Place, PROPERTIES_ADDED, type Writing, writeAnything, writeKey } from './writing.ts';

/**
 * Writes what Codex keeps of a schema, so that it accepts whatever the original accepts, also after Codex read it. What
 * stands at the top is left open for the definitions that follow.
 */
export function writeSchema(writing: Writing, schema: unknown, place: Place): void {
  const { path, origins } = writing;
  const origin = origins.size === 0 ? undefined : origins.get(schema);
  if (origin !== undefined) writing.path = [...origin];
  if (isObject(schema)) writeObject(writing, schema, place);
  else {
    note(writing, `${String(schema).slice(0, 20)} became every type`, 'Codex takes it for a schema of text');
    writeAnything(writing, schema === false ? 'never allowed' : '');
  }
  writing.path = path;
}

function writeObject(writing: Writing, schema: JsonObject, place: Place): void {
  const parts = readParts(schema);
  const isElsewhere = place.depth > 0 && typeof parts.$id === 'string' && !parts.$id.startsWith('#');
  if (isElsewhere) writing.embedded++;
  writeParts(writing, schema, parts, place);
  if (isElsewhere) writing.embedded--;
}

function writeParts(writing: Writing, schema: JsonObject, parts: Parts, place: Place): void {
  const reference = readReference(writing, parts);
  if (reference !== undefined) forgetMeaningless(writing, parts);
  const choices = readChoices(writing, parts);
  prune(writing, parts, place);
  const types = readTypes(writing, parts, { place, choices, isReference: reference !== undefined });
  const description = describe(writing, schema, { parts, place, isReference: reference !== undefined });

  writing.text += '{';
  writing.separator = '';
  if (types !== undefined) writeKey(writing, 'type', typesText(types));
  if (description !== undefined) writeKey(writing, 'description', JSON.stringify(description));
  if (choices?.text !== undefined) writeKey(writing, 'enum', choices.text);
  if (reference !== undefined) writeKey(writing, '$ref', JSON.stringify(reference));
  if (!isFull(writing) && (hasContents(parts) || types?.includes('array'))) {
    writeContents(writing, parts, { place, types, write: writeSchema });
  }
  if (types?.includes('object') && !isObject(parts.properties)) writing.bytesAdded += PROPERTIES_ADDED;
  if (place.depth === 0) return;
  writing.text += '}';
  writing.separator = ',';
}

function readReference(writing: Writing, { $ref }: Parts): string | undefined {
  if ($ref === undefined) return undefined;
  const reference = typeof $ref === 'string' && writing.thrift.keepsReferences ? refer(writing, $ref) : undefined;
  if (reference === undefined) note(writing, '$ref left out', 'it leads to nothing that Codex would have');
  else if (reference !== $ref) note(writing, `$ref became ${reference}`, 'what it leads to stands there now');
  return reference;
}

/** Before 2019 a reference stood alone: what stood beside it meant nothing, and must not mean something now. */
function forgetMeaningless(writing: Writing, parts: Parts): void {
  if (!STANDS_ALONE.test(String(writing.root['$schema']))) return;
  const found = ASSERTIONS.filter((keyword) => parts[keyword] !== undefined);
  if (found.length === 0) return;
  for (const keyword of found) parts[keyword] = undefined;
  note(writing, `${found.join(', ')} beside $ref left out`, 'the draft that $schema names ignores them');
}

const STANDS_ALONE = /draft-0[3-7]/;
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

/** Too deep for the whole to fit: the schema says its type alone. */
function prune(writing: Writing, parts: Parts, { depth }: Place): void {
  if (depth < writing.thrift.maxDepth || !hasContents(parts)) return;
  for (const keyword of INSIDE) parts[keyword] = undefined;
  note(writing, 'what is inside left out', 'Codex drops descriptions and more of what is deep or over 5000 bytes');
}
