import { isObject, type JsonObject } from '../json.ts';
import { createFlattening, type View, viewOf } from './merged-object.ts';
import { standsAlone } from './references.ts';
import { note, type Writing } from './schema-writer.ts';

/**
 * The schema of the arguments without compositions at its top: the service behind Codex refuses every request that has a
 * tool with one there, and in its code mode Codex shows nothing of what stands beside one. What the parts say about
 * single arguments is joined, so that whatever the original accepts is accepted.
 */
export function flattenTop(writing: Writing): JsonObject {
  const { root } = writing;
  const isPlain = !isComposed(root);
  writing.topIsKept = isPlain && root['type'] === 'object';
  if (isPlain) return root;
  const found = COMPOSITIONS.filter((keyword) => root[keyword] !== undefined).join(', ');
  note(writing, `${found} at the top joined into one list of properties`, 'the service refuses them there');
  writing.origins = new Map();
  const flattening = createFlattening(writing);
  const view = viewOf(flattening, root, []);
  return view === undefined ? { type: 'object' } : toSchema(writing, view);
}

const COMPOSITIONS = ['$ref', 'anyOf', 'oneOf', 'allOf', 'enum', 'const'] as const;

/** Cheap: nearly every schema is plain. */
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

function toSchema({ root, origins }: Writing, view: View): JsonObject {
  const properties: Record<string, unknown> = Object.create(null);
  for (const [name, schemas] of view.properties) {
    const [first, ...others] = schemas;
    properties[name] = others.length === 0 ? first : { anyOf: schemas };
    if (others.length > 0) origins?.set(properties[name], ['properties', name]);
  }
  const schema: Record<string, unknown> = { ...root };
  for (const keyword of [...COMPOSITIONS, 'properties', 'required']) delete schema[keyword];
  if (root['$ref'] !== undefined && standsAlone(root)) for (const keyword of OTHERS) delete schema[keyword];
  if (view.properties.size > 0) schema['properties'] = properties;
  if (view.required.size > 0) schema['required'] = [...view.required];
  if (view.isClosed && !isObject(schema['patternProperties'])) schema['additionalProperties'] = false;
  const description = [view.description, ...view.alternatives].filter((text) => text !== '').join('; ');
  if (description !== '') schema['description'] = description;
  return schema;
}
