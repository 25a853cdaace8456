import { type Schema, Validator } from '@cfworker/json-schema';
import type { JsonSchema } from './protocol.ts';
import type { CheckResult } from './schema.ts';

/** Checks values against plain JSON Schema (2020-12). References are never fetched: only what the schema itself holds counts. */
export function createJsonSchemaCheck(jsonSchema: JsonSchema): (value: unknown) => CheckResult {
  const validator = new Validator(jsonSchema as Schema, '2020-12', true);
  return (value) => {
    const { valid, errors } = validator.validate(value);
    if (valid) return { value };
    // The validator reports from the outside in; the innermost line says what is wrong.
    const last = errors.at(-1);
    const where = last?.instanceLocation.replace(/^#\/?/, '').replaceAll('/', '.') ?? '';
    return { problems: [where === '' ? (last?.error ?? 'invalid') : `${where}: ${last?.error}`] };
  };
}
