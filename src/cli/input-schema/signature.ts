import { isObject } from '../../wire/messages.ts';
import { propertyName, type TypeDetail, typeText } from './type-text.ts';

/**
 * Formats the arguments of a tool for a person: `(title: string, labels?: string[])`, required ones first. Includes as
 * much detail as fits into `maxLength`; `…` replaces the rest. Bounded for every schema.
 */
export function signatureOf(schema: unknown, maxLength: number): string {
  if (!isObject(schema)) return '(…)';
  for (const detail of DETAILS) {
    const written = `(${argumentsOf(schema, detail).join(', ')})`;
    if (written.length <= maxLength) return written;
  }
  return withSomeTypes(
    argumentsOf(schema, MINIMAL_DETAIL),
    fittingNames(argumentsOf(schema, undefined), maxLength),
    maxLength,
  );
}

/** From most to least detail: the depth of nested objects and the number of enum values to spell out. */
const MINIMAL_DETAIL: TypeDetail = { depth: 0, choices: 1 };
const DETAILS: readonly TypeDetail[] = [
  ...[3, 2, 1, 0].map((depth) => ({ depth, choices: 6 })),
  ...[3, 2].map((choices) => ({ depth: 0, choices })),
  MINIMAL_DETAIL,
];
/** More than a person reads on one line. */
const MAX_ARGUMENTS = 60;

/** Returns only the names when `detail` is undefined. */
function argumentsOf(schema: Readonly<Record<string, unknown>>, detail: TypeDetail | undefined): readonly string[] {
  const { properties, required } = schema;
  if (!isObject(properties)) return hasOtherShape(schema) ? ['…'] : [];
  const needed = new Set(Array.isArray(required) ? required : []);
  const entries = Object.entries(properties);
  const shown = [
    ...entries.filter(([name]) => needed.has(name)),
    ...entries.filter(([name]) => !needed.has(name)),
  ].slice(0, MAX_ARGUMENTS);
  const texts = shown.map(([name, type]) => {
    const label = `${propertyName(name)}${needed.has(name) ? '' : '?'}`;
    return detail === undefined ? label : `${label}: ${typeText(type, { root: schema, ...detail })}`;
  });
  return entries.length > shown.length ? [...texts, '…'] : texts;
}

/** Whether the schema accepts arguments without listing them in `properties`. */
function hasOtherShape(schema: Readonly<Record<string, unknown>>): boolean {
  const { additionalProperties } = schema;
  return (
    additionalProperties === true ||
    isObject(additionalProperties) ||
    ['anyOf', 'oneOf', 'allOf', '$ref', 'patternProperties'].some((key) => schema[key] !== undefined)
  );
}

/** Adds types to as many of the first names as fit. */
function withSomeTypes(typed: readonly string[], names: readonly string[], maxLength: number): string {
  for (let count = names.length; count > 0; count--) {
    const texts = names.map((name, index) => (index < count && name !== ELLIPSIS ? (typed[index] ?? name) : name));
    const written = `(${texts.join(', ')})`;
    if (written.length <= maxLength) return written;
  }
  return `(${names.join(', ')})`;
}

/** Returns as many of the first names as fit. */
function fittingNames(names: readonly string[], maxLength: number): readonly string[] {
  const isFitting = (some: readonly string[]) => some.join(', ').length + '()'.length <= maxLength;
  if (isFitting(names)) return names;
  for (let count = names.length - 1; count > 0; count--) {
    const some = [...names.slice(0, count), ELLIPSIS];
    if (isFitting(some)) return some;
  }
  return [ELLIPSIS];
}

const ELLIPSIS = '…';
