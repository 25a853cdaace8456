import { isObject, type JsonObject } from '../../../wire/messages.ts';
import { createFlattening, type MergedObject, mergeObject } from './merged-object.ts';
import { ignoresSiblings } from './references.ts';
import { recordRewrite, type SchemaWriter } from './schema-writer.ts';

/**
 * Returns the schema of the arguments without compositions at its root: the service behind Codex rejects every request
 * that has a tool with one there, and in its code mode Codex shows nothing beside one. Merges the properties of the
 * parts, so that the result accepts whatever the original accepts.
 */
export function flattenTopLevel(writer: SchemaWriter): JsonObject {
  const { root } = writer;
  const isPlain = !isComposed(root);
  writer.topIsKept = isPlain && root['type'] === 'object';
  if (isPlain) return root;
  const found = COMPOSITIONS.filter((keyword) => root[keyword] !== undefined).join(', ');
  recordRewrite(writer, `${found} at the top joined into one list of properties`, 'the service rejects them there');
  writer.origins = new Map();
  const flattening = createFlattening(writer);
  const merged = mergeObject(flattening, root, []);
  return merged === undefined ? { type: 'object' } : toSchema(writer, merged);
}

const COMPOSITIONS = ['$ref', 'anyOf', 'oneOf', 'allOf', 'enum', 'const'] as const;

/** Returns whether the root has compositions. A cheap check, because nearly every schema is plain. */
function isComposed({ $ref, anyOf, oneOf, allOf, enum: choices, const: only }: JsonObject): boolean {
  return (
    $ref !== undefined ||
    anyOf !== undefined ||
    oneOf !== undefined ||
    allOf !== undefined ||
    choices !== undefined ||
    only !== undefined
  );
}

const OTHERS = ['additionalProperties', 'patternProperties'] as const;

function toSchema({ root, origins }: SchemaWriter, merged: MergedObject): JsonObject {
  const properties: Record<string, unknown> = Object.create(null);
  for (const [name, schemas] of merged.properties) {
    const [first, ...others] = schemas;
    properties[name] = others.length === 0 ? first : { anyOf: schemas };
    if (others.length > 0) origins?.set(properties[name], ['properties', name]);
  }
  const schema: Record<string, unknown> = { ...root };
  for (const keyword of [...COMPOSITIONS, 'properties', 'required']) delete schema[keyword];
  if (root['$ref'] !== undefined && ignoresSiblings(root)) for (const keyword of OTHERS) delete schema[keyword];
  if (merged.properties.size > 0) schema['properties'] = properties;
  if (merged.required.size > 0) schema['required'] = [...merged.required];
  if (merged.isClosed && !isObject(schema['patternProperties'])) schema['additionalProperties'] = false;
  const description = [merged.description, ...merged.alternatives].filter((text) => text !== '').join('; ');
  if (description !== '') schema['description'] = description;
  return schema;
}
