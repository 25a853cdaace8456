import { neutralise } from '../../../base/text.ts';
import type { JsonObject } from '../json.ts';

/** The text of the value of a keyword, as it was written. */
export type ValueText = (keyword: string, value: unknown) => string | undefined;

/** What Codex would drop without a word, in words: `1 to 10; default 5`. Empty when there is nothing to tell. */
export function tellMore(schema: JsonObject, valueText: ValueText): string {
  let words = '';
  for (const key in schema) {
    const told = WORDS.get(key)?.(schema, schema[key], valueText);
    if (told !== undefined) words += words === '' ? told : `; ${told}`;
  }
  return neutralise(words);
}

export function isTold(keyword: string): boolean {
  return WORDS.has(keyword);
}

/** As many characters, and half of no character. */
export function cut(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  return `${text.slice(0, maxLength - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}

type Teller = (schema: JsonObject, value: unknown, valueText: ValueText) => string | undefined;

const WORDS: ReadonlyMap<string, Teller> = new Map<string, Teller>([
  ...range('minimum', 'maximum', ''),
  ...range('minLength', 'maxLength', ' characters'),
  ...range('minItems', 'maxItems', ' items'),
  ...range('minProperties', 'maxProperties', ' properties'),
  number('exclusiveMinimum', 'more than'),
  number('exclusiveMaximum', 'less than'),
  number('multipleOf', 'a multiple of'),
  ['format', text('format')],
  ['pattern', text('pattern')],
  ['contentEncoding', text('encoded as')],
  ['contentMediaType', text('of type')],
  ['uniqueItems', flag('no item twice')],
  ['deprecated', flag('deprecated')],
  ['readOnly', flag('read-only')],
  ['writeOnly', flag('write-only')],
  ['default', (_, value, valueText) => `default ${shown(valueText('default', value))}`],
  ['example', (_, value, valueText) => `for example ${shown(valueText('example', value))}`],
  ['examples', (_, value, valueText) => `for example ${shown(valueText('examples', value))}`],
  ...['not', 'if', 'then', 'else', 'contains', 'propertyNames', 'patternProperties', 'unevaluatedProperties'].map(
    literal,
  ),
  ...['dependentRequired', 'dependentSchemas', 'dependencies', 'unevaluatedItems', '$dynamicRef'].map(literal),
]);

/** Two keywords of which the first tells both, when both are there. */
function range(lowest: string, highest: string, unit: string): [string, Teller][] {
  return [
    [
      lowest,
      (schema, value, valueText) => {
        if (typeof value !== 'number') return undefined;
        const other = schema[highest];
        const low = shown(valueText(lowest, value));
        if (typeof other !== 'number') return `at least ${low}${unit}`;
        return `${low} to ${shown(valueText(highest, other))}${unit}`;
      },
    ],
    [
      highest,
      (schema, value, valueText) => {
        if (typeof value !== 'number' || typeof schema[lowest] === 'number') return undefined;
        return `at most ${shown(valueText(highest, value))}${unit}`;
      },
    ],
  ];
}

/** Where it was true in the oldest JSON Schema, it says of the bound beside it that the bound itself is too much. */
function number(keyword: string, words: string): [string, Teller] {
  return [
    keyword,
    (_, value, valueText) => {
      if (value === true) return 'bounds excluded';
      return typeof value === 'number' ? `${words} ${shown(valueText(keyword, value))}` : undefined;
    },
  ];
}

function text(words: string): Teller {
  return (_, value) => (typeof value === 'string' ? `${words} ${cut(value, MAX_LENGTH)}` : undefined);
}

function flag(words: string): Teller {
  return (_, value) => (value === true ? words : undefined);
}

/** For what has no shorter words than its own. */
function literal(keyword: string): [string, Teller] {
  return [keyword, (_, value, valueText) => `${keyword} ${shown(valueText(keyword, value))}`];
}

function shown(json: string | undefined): string {
  return cut(json ?? '…', MAX_LENGTH);
}

const MAX_LENGTH = 100;
