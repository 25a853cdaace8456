import { isObject } from '../../wire/messages.ts';
import { propertyName, type TypeDetail, typeText } from './type-text.ts';

/**
 * The arguments of a tool as a person reads them: `(title: string, labels?: string[])`, those first that must be there.
 * With as much detail as fits into `maxLength`; what does not fit is `…`. Bounded, whatever the schema is.
 */
export function signatureOf(schema: unknown, maxLength: number): string {
  if (!isObject(schema)) return '(…)';
  for (const detail of DETAILS) {
    const written = `(${argumentsOf(schema, detail).join(', ')})`;
    if (written.length <= maxLength) return written;
  }
  return withSomeTypes(argumentsOf(schema, LEAST), fittingNames(argumentsOf(schema, undefined), maxLength), maxLength);
}

/** From the most to the least: so many objects inside each other are spelled out, so many values of a choice. */
const LEAST: TypeDetail = { depth: 0, choices: 1 };
const DETAILS: readonly TypeDetail[] = [
  ...[3, 2, 1, 0].map((depth) => ({ depth, choices: 6 })),
  ...[3, 2].map((choices) => ({ depth: 0, choices })),
  LEAST,
];
/** More than these nobody reads on one line. */
const MAX_ARGUMENTS = 60;

/** Without a detail, their names alone. */
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

/** It takes something, and says so in another way than by a list of properties. */
function hasOtherShape(schema: Readonly<Record<string, unknown>>): boolean {
  const { additionalProperties } = schema;
  return (
    additionalProperties === true ||
    isObject(additionalProperties) ||
    ['anyOf', 'oneOf', 'allOf', '$ref', 'patternProperties'].some((key) => schema[key] !== undefined)
  );
}

/** The names, and as many of the first with their types as there is room for. */
function withSomeTypes(typed: readonly string[], names: readonly string[], maxLength: number): string {
  for (let count = names.length; count > 0; count--) {
    const texts = names.map((name, index) => (index < count && name !== ELLIPSIS ? (typed[index] ?? name) : name));
    const written = `(${texts.join(', ')})`;
    if (written.length <= maxLength) return written;
  }
  return `(${names.join(', ')})`;
}

/** As many names as fit, from the first on. */
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
