import { neutralise } from '../../../base/text/safe-text.ts';
import { cut } from '../../../base/text/truncate.ts';
import type { JsonObject } from '../json.ts';
import { valueText, type Writing } from './schema-writer.ts';

/** What Codex would drop without a word, in words: `1 to 10; default 5`. Empty when there is nothing to tell. */
export function tellMore(writing: Writing, schema: JsonObject, keywords: readonly string[]): string {
  let words = '';
  for (const keyword of keywords) {
    const told = WORDS.get(keyword)?.(schema, schema[keyword], writing);
    if (told !== undefined) words += words === '' ? told : `; ${told}`;
  }
  return PLAIN.test(words) ? words : neutralise(words);
}

/** Nothing can be hidden among these. */
const PLAIN = /^[ -~]*$/;

export function isTold(keyword: string): boolean {
  return WORDS.has(keyword);
}

type Teller = (schema: JsonObject, value: unknown, writing: Writing) => string | undefined;

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
  ['default', (_, value, writing) => `default ${shown(valueText(writing, 'default', value))}`],
  ['example', (_, value, writing) => `for example ${shown(valueText(writing, 'example', value))}`],
  ['examples', (_, value, writing) => `for example ${shown(valueText(writing, 'examples', value))}`],
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
      (schema, value, writing) => {
        if (typeof value !== 'number') return undefined;
        const other = schema[highest];
        const low = shown(valueText(writing, lowest, value));
        if (typeof other !== 'number') return `at least ${low}${unit}`;
        return `${low} to ${shown(valueText(writing, highest, other))}${unit}`;
      },
    ],
    [
      highest,
      (schema, value, writing) => {
        if (typeof value !== 'number' || typeof schema[lowest] === 'number') return undefined;
        return `at most ${shown(valueText(writing, highest, value))}${unit}`;
      },
    ],
  ];
}

/** Where it was true in the oldest JSON Schema, it says of the bound beside it that the bound itself is too much. */
function number(keyword: string, words: string): [string, Teller] {
  return [
    keyword,
    (_, value, writing) => {
      if (value === true) return 'bounds excluded';
      return typeof value === 'number' ? `${words} ${shown(valueText(writing, keyword, value))}` : undefined;
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
  return [keyword, (_, value, writing) => `${keyword} ${shown(valueText(writing, keyword, value))}`];
}

function shown(json: string | undefined): string {
  return cut(json ?? '…', MAX_LENGTH);
}

const MAX_LENGTH = 100;
