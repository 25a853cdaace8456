import type { JsonObject } from '../../../wire/messages.ts';
import { isDescribable } from './constraint-text.ts';
import type { SchemaContext } from './schema-writer.ts';

/** One schema: the keywords of which Codex keeps something, undefined if absent, and values derived from them. */
export interface SchemaKeywords {
  readonly schema: JsonObject;
  readonly context: SchemaContext;
  /** The text to write for `$ref`, if it resolves. */
  reference: string | undefined;
  /** The allowed values, if only a description can list them. */
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
  /** Whether there are keywords that Codex would read although they have no effect here. */
  hasUnused: boolean;
  /** The keywords that Codex drops and a description can state. */
  describable: string[] | undefined;
}

/** Reads every member once, by its name, because this runs for every schema of every tool. */
export function readKeywords(schema: JsonObject, context: SchemaContext): SchemaKeywords {
  const keywords = createKeywords(schema, context);
  for (const key in schema) {
    const value = schema[key];
    switch (key) {
      case 'type':
        keywords.type = value;
        break;
      case 'description':
        keywords.description = value;
        break;
      case 'title':
        keywords.title = value;
        break;
      case 'properties':
        keywords.properties = value;
        break;
      case 'required':
        keywords.required = value;
        break;
      case 'items':
        keywords.items = value;
        break;
      case 'enum':
        keywords.enum = value;
        break;
      case 'anyOf':
        keywords.anyOf = value;
        break;
      case '$ref':
        keywords.$ref = value;
        break;
      case 'additionalProperties':
        keywords.additionalProperties = value;
        break;
      case 'allOf':
        keywords.allOf = value;
        break;
      case 'oneOf':
        keywords.oneOf = value;
        break;
      case 'const':
        keywords.const = value;
        break;
      case 'nullable':
        keywords.nullable = value;
        break;
      case 'prefixItems':
        keywords.prefixItems = value;
        break;
      case 'additionalItems':
        keywords.additionalItems = value;
        break;
      case '$id':
        keywords.$id = value;
        break;
      case 'patternProperties':
        keywords.patternProperties = value;
        addDescribable(keywords, key);
        break;
      case 'maxItems':
        keywords.maxItems = value;
        addDescribable(keywords, key);
        break;
      case '$defs':
      case 'definitions':
      case 'encrypted':
        keywords.hasUnused = true;
        break;
      default:
        if (isDescribable(key)) addDescribable(keywords, key);
    }
  }
  return keywords;
}

function addDescribable(keywords: SchemaKeywords, keyword: string): void {
  if (keywords.describable === undefined) keywords.describable = [keyword];
  else keywords.describable.push(keyword);
}

/** Returns the members of `anyOf` and similar keywords, if they can be used. */
export function usableList(list: unknown, maxLength: number): readonly unknown[] | undefined {
  return Array.isArray(list) && list.length > 0 && list.length <= maxLength ? list : undefined;
}

/** Returns whether other schemas define the meaning of this one. */
export function isComposed({ anyOf, oneOf, allOf }: SchemaKeywords, maxLength: number): boolean {
  return (
    usableList(anyOf, maxLength) !== undefined ||
    usableList(oneOf, maxLength) !== undefined ||
    usableList(allOf, maxLength) !== undefined
  );
}

function createKeywords(schema: JsonObject, context: SchemaContext): SchemaKeywords {
  return {
    schema,
    context,
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
    describable: undefined,
  };
}
