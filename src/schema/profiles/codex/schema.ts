import { isObject, type JsonObject } from '../../../wire/messages.ts';
import { describeValue, quote } from '../json.ts';
import { describeSchema, hasText } from './description.ts';
import { hasNestedSchemas, writeNestedSchemas } from './nested-schemas.ts';
import { addReference, ignoresSiblings } from './references.ts';
import { isComposed, readKeywords, type SchemaKeywords } from './schema-keywords.ts';
import {
  EMPTY_PROPERTIES_BYTES,
  isOverBudget,
  recordRewrite,
  type SchemaContext,
  type SchemaWriter,
  writeAnything,
  writeKey,
} from './schema-writer.ts';
import { readChoices, readTypes } from './type-of-schema.ts';
import { declaredTypes, leafHead, typeHead } from './types.ts';

/**
 * Writes what Codex keeps of a schema, so that it accepts whatever the original accepts, also after Codex has read it.
 * Leaves the root object open for the definitions that follow.
 */
export function writeSchema(writer: SchemaWriter, schema: unknown, context: SchemaContext): void {
  const { path, pathLength } = writer;
  const origin = writer.origins?.get(schema);
  if (origin !== undefined) {
    writer.path = [...origin];
    writer.pathLength = origin.length;
  }
  if (isObject(schema)) {
    if (!writeLeaf(writer, schema, context)) writeObject(writer, schema, context);
  } else {
    recordRewrite(writer, `${describeValue(schema)} became every type`, 'Codex treats it as a schema of text');
    if (schema === false && writer.budget.describesConstraints) writeAnything(writer, 'never allowed');
    else writeObject(writer, {}, context);
  }
  writer.path = path;
  writer.pathLength = pathLength;
}

/**
 * Writes a schema of one type with a description at most, which most are, on a fast path. Returns false for any other.
 */
function writeLeaf(writer: SchemaWriter, schema: JsonObject, { depth }: SchemaContext): boolean {
  let type: unknown;
  let description: unknown;
  for (const key in schema) {
    if (key === 'type') type = schema[key];
    else if (key === 'description') description = schema[key];
    else return false;
  }
  const head = leafHead(type);
  if (head === undefined || depth > writer.budget.textDepth || depth === 0) return false;
  if (description === undefined) writer.text += `${head}}`;
  else if (typeof description !== 'string' || description.length > writer.budget.maxText) return false;
  else writer.text += `${head},"description":${quote(description)}}`;
  writer.separator = ',';
  return true;
}

function writeObject(writer: SchemaWriter, schema: JsonObject, context: SchemaContext): void {
  const keywords = readKeywords(schema, context);
  if (context.depth > HARMLESS_DEPTH) writer.mayBeDeep = true;
  if (keywords.hasUnused && (context.depth > 0 || schema['encrypted'] !== undefined))
    recordRewrite(writer, UNUSED, WOULD_READ);
  const isElsewhere = context.depth > 0 && typeof keywords.$id === 'string' && !keywords.$id.startsWith('#');
  if (isElsewhere) writer.embedded++;
  writeKeywords(writer, keywords);
  if (isElsewhere) writer.embedded--;
}

/** A schema adds four levels at most around the one inside it. */
const HARMLESS_DEPTH = 25;

const UNUSED = 'unused definitions and annotations left out';
const WOULD_READ = 'Codex would read them, and drop the tool if it cannot use them';

function writeKeywords(writer: SchemaWriter, keywords: SchemaKeywords): void {
  if (keywords.$ref !== undefined) readReference(writer, keywords);
  const choices = readChoices(writer, keywords);
  prune(writer, keywords);
  const description = hasText(keywords) ? describeSchema(writer, keywords) : undefined;
  if (writer.budget.isCompact && description === undefined && choices === undefined && isAnything(writer, keywords)) {
    if (keywords.type !== undefined || keywords.anyOf || keywords.oneOf || keywords.allOf)
      recordRewrite(writer, 'became {}', OVER_SIZE_LIMIT);
    writeAnything(writer);
    return;
  }
  const types = readTypes(writer, keywords, choices);
  keywords.types = types;

  writer.text += types === undefined ? '{' : typeHead(types);
  writer.separator = types === undefined ? '' : ',';
  if (description !== undefined) writeKey(writer, 'description', quote(description));
  if (choices?.text !== undefined) writeKey(writer, 'enum', choices.text);
  if (keywords.reference !== undefined) writeKey(writer, '$ref', quote(keywords.reference));
  if (!isOverBudget(writer) && (hasNestedSchemas(keywords) || types?.includes('array')))
    writeNestedSchemas(writer, keywords);
  if (types?.includes('object') && !isObject(keywords.properties)) writer.bytesAdded += EMPTY_PROPERTIES_BYTES;
  if (keywords.context.depth === 0) return;
  writer.text += '}';
  writer.separator = ',';
}

function readReference(writer: SchemaWriter, keywords: SchemaKeywords): void {
  const { $ref } = keywords;
  const reference =
    typeof $ref === 'string' && writer.budget.definitionDepth > 0 ? addReference(writer, $ref) : undefined;
  keywords.reference = reference;
  if (reference === undefined) recordRewrite(writer, '$ref left out', 'Codex would not have its target');
  else if (reference !== $ref) recordRewrite(writer, '$ref became ', 'its target was moved there', reference);
  if (ignoresSiblings(writer.root)) dropIgnoredSiblings(writer, keywords);
}

function dropIgnoredSiblings(writer: SchemaWriter, keywords: SchemaKeywords): void {
  const found = ASSERTIONS.filter((keyword) => keywords[keyword] !== undefined);
  if (found.length === 0) return;
  for (const keyword of found) keywords[keyword] = undefined;
  recordRewrite(writer, `${found.join(', ')} beside $ref left out`, 'the draft named by $schema ignores them');
}

/** Returns whether nothing that restricts a value would be written. */
function isAnything({ budget }: SchemaWriter, keywords: SchemaKeywords): boolean {
  const { context, properties, required, items, prefixItems, additionalProperties } = keywords;
  if (context.depth === 0 || keywords.reference !== undefined) return false;
  if (declaredTypes(keywords.type) !== undefined || isComposed(keywords, budget.maxBranches)) return false;
  return [properties, required, items, prefixItems, additionalProperties].every((inside) => inside === undefined);
}

const NESTED_KEYWORDS = [
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
const ASSERTIONS = ['type', 'nullable', 'enum', 'const', ...NESTED_KEYWORDS] as const;

const OVER_SIZE_LIMIT = 'Codex drops descriptions and deep parts of schemas over 5000 bytes';

/** Reduces a schema that is too deep to its type, or to nothing. */
function prune(writer: SchemaWriter, keywords: SchemaKeywords): void {
  if (keywords.context.depth < writer.maxDepth) return;
  const { keepsTypes } = writer.budget;
  if (keepsTypes ? !hasNestedSchemas(keywords) : isSimple(keywords)) return;
  for (const keyword of NESTED_KEYWORDS) keywords[keyword] = undefined;
  if (!keepsTypes) keywords.type = undefined;
  recordRewrite(writer, 'contents left out', OVER_SIZE_LIMIT);
}

/**
 * Returns whether Codex keeps the schema as it is. Codex adds missing parts to an array or object, and then removes it
 * because it has contents. It keeps `enum` and `const`.
 */
function isSimple(keywords: SchemaKeywords): boolean {
  const hasChoices = keywords.enum !== undefined || keywords.const !== undefined;
  if (hasChoices) return !hasNestedSchemas(keywords) || isListOfAnything(keywords);
  const isContainer = declaredTypes(keywords.type)?.some((type) => type === 'array' || type === 'object');
  return !hasNestedSchemas(keywords) && isContainer !== true;
}

/** Returns whether an array schema contains nothing but empty `items`. */
function isListOfAnything({
  items,
  properties,
  required,
  additionalProperties,
  anyOf,
  oneOf,
  allOf,
}: SchemaKeywords): boolean {
  const others = [properties, required, additionalProperties, anyOf, oneOf, allOf];
  return isObject(items) && Object.keys(items).length === 0 && others.every((other) => other === undefined);
}
