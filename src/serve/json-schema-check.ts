import { type OutputUnit, type Schema, Validator } from '@cfworker/json-schema';
import type { JsonSchema } from './protocol.ts';
import type { CheckResult } from './schema.ts';

/** Checks values against plain JSON Schema (2020-12). References are never fetched: only what the schema itself holds counts. */
export function createJsonSchemaCheck(jsonSchema: JsonSchema): (value: unknown) => CheckResult {
  const validator = new Validator(jsonSchema as Schema, '2020-12', true);
  return (value) => {
    const { valid, errors } = validator.validate(value);
    // The validator reports from the outside in; the innermost line says what is wrong.
    return valid ? { value } : { problems: [problemText(errors.at(-1), jsonSchema, value)] };
  };
}

function problemText(problem: OutputUnit | undefined, jsonSchema: JsonSchema, value: unknown): string {
  if (problem === undefined) return 'not valid';
  const path = segments(problem.instanceLocation);
  const missing = problem.keyword === 'required' ? MISSING.exec(problem.error)?.[1] : undefined;
  if (missing !== undefined) return `${[...path, missing].join('.')}: missing`;
  // A member that no schema allows is checked against `false`.
  if (problem.keyword === 'false') return `${path.join('.')}: not known`;
  const expected = problem.keyword === 'type' ? at(jsonSchema, segments(problem.keywordLocation)) : undefined;
  const text =
    expected === undefined
      ? problem.error
      : `expected ${[expected].flat().join(' or ')}, got ${kindOf(at(value, path))}`;
  return path.length === 0 ? text : `${path.join('.')}: ${text}`;
}

const MISSING = /required property "(.*)"/s;

/** The steps of a JSON pointer in a fragment, as the validator writes it. */
function segments(pointer: string): string[] {
  const steps = pointer.replace(/^#\/?/, '').split('/');
  return steps
    .filter((step) => step !== '')
    .map((step) => decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~'));
}

function at(value: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((inner, step) => {
    // Lists have their elements under their numbers. Nothing is imported for this: what this file shared with the entry
    // would become a third file, and every start would load it.
    return typeof inner === 'object' && inner !== null ? Reflect.get(inner, step) : undefined;
  }, value);
}

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}
