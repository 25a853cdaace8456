import { type OutputUnit, type Schema, Validator } from '@cfworker/json-schema';
import { parseJsonPointer } from '../../wire/json/json-pointer.ts';
import type { JsonSchema } from '../protocol.ts';
import type { CheckResult } from './schema.ts';

/**
 * Creates a check against plain JSON Schema (2020-12). References are never fetched: only those within the schema are
 * resolved.
 */
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
  // The validator reports errors from the outside in, so the last one is the most specific.
  return valid ? { value } : { problems: [problemText(errors.at(-1), jsonSchema, value)] };
}

function problemText(problem: OutputUnit | undefined, jsonSchema: JsonSchema, value: unknown): string {
  if (problem === undefined) return 'not valid';
  const path = parseJsonPointer(problem.instanceLocation) ?? [];
  const missing = problem.keyword === 'required' ? MISSING.exec(problem.error)?.[1] : undefined;
  if (missing !== undefined) return `${[...path, missing].join('.')}: missing`;
  // A disallowed member is validated against the schema `false`.
  if (problem.keyword === 'false') return `${path.join('.')}: not known`;
  const expected =
    problem.keyword === 'type' ? at(jsonSchema, parseJsonPointer(problem.keywordLocation) ?? []) : undefined;
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

function at(value: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((inner, step) => {
    // `Reflect.get` also reads array elements by index. No helper is imported here, because a module shared with the
    // entry point would become a third bundle file that every start loads.
    return typeof inner === 'object' && inner !== null ? Reflect.get(inner, step) : undefined;
  }, value);
}

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}
