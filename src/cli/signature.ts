import { isObject } from '../wire/messages.ts';
import { propertyName, typeText } from './signature-type.ts';

/**
 * The arguments of a tool as a person reads them: `(title: string, labels?: string[])`, those first that must be there.
 * With as much detail as fits into `maxLength`; what does not fit is `…`. Bounded, whatever the schema is.
 */
export function signatureOf(schema: unknown, maxLength: number): string {
  if (!isObject(schema)) return '(…)';
  for (let depth = MAX_DEPTH; depth >= 0; depth--) {
    const written = `(${argumentsOf(schema, depth).join(', ')})`;
    if (written.length <= maxLength) return written;
  }
  return cut(argumentsOf(schema, undefined), maxLength);
}

/** So many objects inside each other are spelled out. */
const MAX_DEPTH = 3;
/** More than these nobody reads on one line. */
const MAX_ARGUMENTS = 60;

/** Without a depth, their names alone. */
function argumentsOf(schema: Readonly<Record<string, unknown>>, depth: number | undefined): readonly string[] {
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
    return depth === undefined ? label : `${label}: ${typeText(type, { root: schema, depth })}`;
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

/** As many whole arguments as fit. */
function cut(texts: readonly string[], maxLength: number): string {
  let line = '';
  for (const [index, text] of texts.entries()) {
    const next = index === 0 ? text : `, ${text}`;
    const isLast = index === texts.length - 1;
    if (line.length + next.length + (isLast ? '()' : '(, …)').length > maxLength) {
      return line === '' ? '(…)' : `(${line}, …)`;
    }
    line += next;
  }
  return `(${line})`;
}
