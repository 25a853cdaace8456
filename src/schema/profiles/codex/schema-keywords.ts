import type { JsonObject } from '../json.ts';
import { isTold } from './constraint-text.ts';
import type { Place } from './schema-writer.ts';

/** One schema: the keywords of which Codex keeps something, undefined where there are none, and what is found out of them. */
export interface Parts {
  readonly schema: JsonObject;
  readonly place: Place;
  /** What is written for `$ref`, if it leads somewhere. */
  reference: string | undefined;
  /** The allowed values, if they can be told in words alone. */
  choices: string | undefined;
  /** Undefined for a schema that is written without a type. */
  types: readonly string[] | undefined;
  type: unknown;
  nullable: unknown;
  title: unknown;
  description: unknown;
  enum: unknown;
  const: unknown;
  properties: unknown;
  patternProperties: unknown;
  additionalProperties: unknown;
  required: unknown;
  items: unknown;
  prefixItems: unknown;
  additionalItems: unknown;
  maxItems: unknown;
  anyOf: unknown;
  oneOf: unknown;
  allOf: unknown;
  $ref: unknown;
  $id: unknown;
  /** Whether there is something here that Codex would read although nothing means it. */
  hasUnused: boolean;
  /** The keywords that Codex drops and a description can tell. */
  more: string[] | undefined;
}

/** Asks every member once, and each by its name: this is done for every schema of every tool. */
export function readParts(schema: JsonObject, place: Place): Parts {
  const parts = createParts(schema, place);
  for (const key in schema) {
    const value = schema[key];
    switch (key) {
      case 'type':
        parts.type = value;
        break;
      case 'description':
        parts.description = value;
        break;
      case 'title':
        parts.title = value;
        break;
      case 'properties':
        parts.properties = value;
        break;
      case 'required':
        parts.required = value;
        break;
      case 'items':
        parts.items = value;
        break;
      case 'enum':
        parts.enum = value;
        break;
      case 'anyOf':
        parts.anyOf = value;
        break;
      case '$ref':
        parts.$ref = value;
        break;
      case 'additionalProperties':
        parts.additionalProperties = value;
        break;
      case 'allOf':
        parts.allOf = value;
        break;
      case 'oneOf':
        parts.oneOf = value;
        break;
      case 'const':
        parts.const = value;
        break;
      case 'nullable':
        parts.nullable = value;
        break;
      case 'prefixItems':
        parts.prefixItems = value;
        break;
      case 'additionalItems':
        parts.additionalItems = value;
        break;
      case '$id':
        parts.$id = value;
        break;
      case 'patternProperties':
        parts.patternProperties = value;
        addMore(parts, key);
        break;
      case 'maxItems':
        parts.maxItems = value;
        addMore(parts, key);
        break;
      case '$defs':
      case 'definitions':
      case 'encrypted':
        parts.hasUnused = true;
        break;
      default:
        if (isTold(key)) addMore(parts, key);
    }
  }
  return parts;
}

function addMore(parts: Parts, keyword: string): void {
  if (parts.more === undefined) parts.more = [keyword];
  else parts.more.push(keyword);
}

/** The members of `anyOf` and its like, if they can be used. */
export function listOf(list: unknown, maxLength: number): readonly unknown[] | undefined {
  return Array.isArray(list) && list.length > 0 && list.length <= maxLength ? list : undefined;
}

/** Whether it says by other schemas what it means. */
export function isComposed({ anyOf, oneOf, allOf }: Parts, maxLength: number): boolean {
  return (
    listOf(anyOf, maxLength) !== undefined ||
    listOf(oneOf, maxLength) !== undefined ||
    listOf(allOf, maxLength) !== undefined
  );
}

function createParts(schema: JsonObject, place: Place): Parts {
  return {
    schema,
    place,
    reference: undefined,
    choices: undefined,
    types: undefined,
    type: undefined,
    nullable: undefined,
    title: undefined,
    description: undefined,
    enum: undefined,
    const: undefined,
    properties: undefined,
    patternProperties: undefined,
    additionalProperties: undefined,
    required: undefined,
    items: undefined,
    prefixItems: undefined,
    additionalItems: undefined,
    maxItems: undefined,
    anyOf: undefined,
    oneOf: undefined,
    allOf: undefined,
    $ref: undefined,
    $id: undefined,
    hasUnused: false,
    more: undefined,
  };
}
