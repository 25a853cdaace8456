import type { StandardJSONSchemaV1, StandardSchemaV1 } from '@standard-schema/spec';
import { AppError, messageOf } from '../../base/errors.ts';
import { isThenable } from '../../base/thenable.ts';
import { isObject, toJson } from '../../wire/messages.ts';
import type { JsonSchema } from '../protocol.ts';
import { createFastCheck } from './fast-schema-check.ts';

/**
 * A schema of zod 4, arktype, valibot (through `toStandardJsonSchema`) or any library that implements both standards.
 */
export type StandardSchema<Input = unknown, Output = Input> = StandardSchemaV1<Input, Output> &
  StandardJSONSchemaV1<Input, Output>;

export type Schema = StandardSchema | JsonSchema;

/** The type of a validated value: the schema's output type, or an object with unknown members for plain JSON Schema. */
export type Checked<Given> = Given extends StandardSchema
  ? StandardSchemaV1.InferOutput<Given>
  : Record<string, unknown>;

/** The type that a handler may return for an output schema, before the schema fills in or transforms values. */
export type Accepted<Given> = Given extends StandardSchema ? StandardSchemaV1.InferInput<Given> : object;

export type CheckResult =
  | { readonly value: unknown; readonly problems?: undefined }
  | { readonly problems: readonly string[] };

export interface Checker {
  /** The schema in `tools/list`, always an object schema. */
  readonly jsonSchema: JsonSchema;
  /** Whether the schema is plain JSON Schema, which cannot describe values that are not JSON. */
  readonly isPlainJson: boolean;
  check(value: unknown): CheckResult | Promise<CheckResult>;
}

/**
 * Reads a schema once, when the tool is defined, so that mistakes surface there. `label` names the schema in errors.
 */
export function createChecker(schema: Schema, direction: 'input' | 'output', label: string): Checker {
  if (isStandard(schema)) return standardChecker(schema, direction, label);
  checkJsonSchema(schema, label);
  return jsonSchemaChecker(asObjectSchema(schema, label));
}

function isStandard(schema: Schema): schema is StandardSchema {
  // Arktype's schemas are functions.
  return (isObject(schema) || typeof schema === 'function') && '~standard' in schema;
}

function standardChecker(schema: StandardSchema, direction: 'input' | 'output', label: string): Checker {
  const { validate, jsonSchema, vendor } = schema['~standard'];
  if (jsonSchema === undefined) {
    const advice =
      vendor === 'valibot'
        ? 'Wrap it in toStandardJsonSchema() of @valibot/to-json-schema.'
        : 'Pass a JSON Schema instead.';
    throw new AppError(
      'TOOL_INVALID',
      `${label}: this ${vendor} schema cannot be converted to a JSON Schema. ${advice}`,
    );
  }
  const read = (result: StandardSchemaV1.Result<unknown>): CheckResult =>
    result.issues === undefined ? result : { problems: result.issues.map(issueText) };
  return {
    isPlainJson: false,
    jsonSchema: asObjectSchema(
      convert(() => jsonSchema[direction]({ target: 'draft-2020-12' }), label),
      label,
    ),
    check(value) {
      const result = validate(value);
      return isThenable(result) ? Promise.resolve(result).then(read) : read(result);
    },
  };
}

function convert(toJsonSchema: () => JsonSchema, label: string): JsonSchema {
  try {
    return toJsonSchema();
  } catch (cause) {
    throw new AppError(
      'TOOL_INVALID',
      `${label}: the schema cannot be converted to a JSON Schema: ${messageOf(cause)}`,
      {
        cause,
      },
    );
  }
}

/** Loads the full validator only for the first value that the fast check does not accept. */
function jsonSchemaChecker(jsonSchema: JsonSchema): Checker {
  const passesFastCheck = createFastCheck(jsonSchema);
  let check: ((value: unknown) => CheckResult) | undefined;
  const load = async () => {
    const { createJsonSchemaCheck } = await import('./json-schema-check.ts');
    check ??= createJsonSchemaCheck(jsonSchema);
    return check;
  };
  return {
    jsonSchema,
    isPlainJson: true,
    check(value) {
      if (passesFastCheck?.(value) === true) return { value };
      return check === undefined ? load().then((loaded) => loaded(value)) : check(value);
    },
  };
}

/**
 * Ensures an object schema at the top level, as MCP requires. A union or reference without a type gets `type: object`;
 * any other type is an error.
 */
function asObjectSchema(schema: unknown, label: string): JsonSchema {
  if (toJson(schema) === undefined)
    throw new AppError('TOOL_INVALID', `${label}: the schema cannot be written as JSON.`);
  if (!isObject(schema))
    throw new AppError('TOOL_INVALID', `${label}: expected a schema, got ${JSON.stringify(schema)}.`);
  if (schema['type'] === 'object') return schema;
  if (schema['type'] === undefined) return { type: 'object', ...schema };
  throw new AppError(
    'TOOL_INVALID',
    `${label}: the schema must describe an object, not ${JSON.stringify(schema['type'])}.`,
  );
}

function issueText(issue: StandardSchemaV1.Issue): string {
  const path = issue.path?.map((part) => String(typeof part === 'object' ? part.key : part)).join('.');
  return path === undefined || path === '' ? issue.message : `${path}: ${issue.message}`;
}

const TYPES = ['object', 'array', 'string', 'number', 'integer', 'boolean', 'null'];

/**
 * Rejects common mistakes: schemas of other libraries inside a JSON Schema, misspelled types, and a `required` that is
 * not a list.
 */
function checkJsonSchema(schema: unknown, label: string): void {
  const reject = (what: string) => {
    throw new AppError('TOOL_INVALID', `${label}: ${what}`);
  };
  if (!isObject(schema)) return;
  for (const [name, member] of Object.entries({ ...schema, ...asMembers(schema['properties']) })) {
    const isSchema = (isObject(member) || typeof member === 'function') && '~standard' in member;
    if (isSchema) reject(`"${name}" is itself a schema. Wrap them all: z.object({ ${name}: … }).`);
  }
  const { type, properties, items, pattern, required = [] } = schema;
  const unknown = (Array.isArray(type) ? type : [type ?? 'object']).find((word) => !TYPES.includes(word));
  if (unknown !== undefined) reject(`there is no type ${JSON.stringify(unknown)} in JSON Schema.`);
  if (typeof pattern === 'string' && !isPattern(pattern))
    reject(`${JSON.stringify(pattern)} is not a regular expression.`);
  if (!Array.isArray(required)) reject('"required" must be a list of names.');
  for (const member of Object.values(asMembers(properties))) checkJsonSchema(member, label);
  checkJsonSchema(items, label);
}

function asMembers(properties: unknown): Readonly<Record<string, unknown>> {
  return isObject(properties) ? properties : {};
}

function isPattern(pattern: string): boolean {
  try {
    new RegExp(pattern, 'u');
    return true;
  } catch {
    return false;
  }
}
