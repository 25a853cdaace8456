import { type OutputUnit, type Schema, Validator } from '@cfworker/json-schema';
import type { JsonSchema } from '../protocol.ts';
import type { CheckResult } from './schema.ts';

/** Checks values against plain JSON Schema (2020-12). References are never fetched: only what the schema itself holds counts. */
export function createJsonSchemaCheck(jsonSchema: JsonSchema): (value: unknown) => CheckResult {
  const validator = new Validator(jsonSchema as Schema, '2020-12', true);
  return (value) => {
    try {
      return check(validator, jsonSchema, value);
    } catch (error) {
      if (!(error instanceof URIError)) throw error;
      const result = check(validator, jsonSchema, withWellFormedKeys(value));
      return 'value' in result ? { value } : result;
    }
  };
}

function check(validator: Validator, jsonSchema: JsonSchema, value: unknown): CheckResult {
  const { valid, errors } = validator.validate(value);
  // The validator reports from the outside in; the innermost line says what is wrong.
  return valid ? { value } : { problems: [problemText(errors.at(-1), jsonSchema, value)] };
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

/** Replaces lone surrogates in keys: the validator URI-encodes every key, which throws for a lone surrogate. */
function withWellFormedKeys(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(withWellFormedKeys);
  const entries = Object.entries(value).map(([key, inner]) => [key, withWellFormedKeys(inner)] as const);
  const taken = new Set(entries.map(([key]) => key));
  return Object.fromEntries(
    entries.map(([key, inner]) => {
      let wellFormed = key.replace(LONE_SURROGATE, '\ufffd');
      // Different keys must stay different.
      while (wellFormed !== key && taken.has(wellFormed)) wellFormed += '\ufffd';
      taken.add(wellFormed);
      return [wellFormed, inner];
    }),
  );
}

const LONE_SURROGATE = /\p{Cs}/gu;

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
