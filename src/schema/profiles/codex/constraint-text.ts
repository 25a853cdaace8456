import { neutralize } from '../../../base/text/safe-text.ts';
import { truncate } from '../../../base/text/truncate.ts';
import type { JsonObject } from '../../../wire/messages.ts';
import { type SchemaWriter, valueText } from './schema-writer.ts';

/** Describes in words what Codex would drop silently: `1 to 10; default 5`. Empty if there is nothing to describe. */
export function describeConstraints(writer: SchemaWriter, schema: JsonObject, keywords: readonly string[]): string {
  let words = '';
  for (const keyword of keywords) {
    const described = DESCRIBERS.get(keyword)?.(schema, schema[keyword], writer);
    if (described !== undefined) words += words === '' ? described : `; ${described}`;
  }
  return PLAIN.test(words) ? words : neutralize(words);
}

/** Printable ASCII, in which nothing can be hidden. */
const PLAIN = /^[ -~]*$/;

export function isDescribable(keyword: string): boolean {
  return DESCRIBERS.has(keyword);
}

type Describer = (schema: JsonObject, value: unknown, writer: SchemaWriter) => string | undefined;

const DESCRIBERS: ReadonlyMap<string, Describer> = new Map<string, Describer>([
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
  ['uniqueItems', flag('no duplicates')],
  ['deprecated', flag('deprecated')],
  ['readOnly', flag('read-only')],
  ['writeOnly', flag('write-only')],
  ['default', (_, value, writer) => `default ${truncateValue(valueText(writer, 'default', value))}`],
  ['example', (_, value, writer) => `for example ${truncateValue(valueText(writer, 'example', value))}`],
  ['examples', (_, value, writer) => `for example ${truncateValue(valueText(writer, 'examples', value))}`],
  ...['not', 'if', 'then', 'else', 'contains', 'propertyNames', 'patternProperties', 'unevaluatedProperties'].map(
    literal,
  ),
  ...['dependentRequired', 'dependentSchemas', 'dependencies', 'unevaluatedItems', '$dynamicRef'].map(literal),
]);

/** Describes two keywords. If both are present, the first describes both. */
function range(lowest: string, highest: string, unit: string): [string, Describer][] {
  return [
    [
      lowest,
      (schema, value, writer) => {
        if (typeof value !== 'number') return undefined;
        const other = schema[highest];
        const low = truncateValue(valueText(writer, lowest, value));
        if (typeof other !== 'number') return `at least ${low}${unit}`;
        return `${low} to ${truncateValue(valueText(writer, highest, other))}${unit}`;
      },
    ],
    [
      highest,
      (schema, value, writer) => {
        if (typeof value !== 'number' || typeof schema[lowest] === 'number') return undefined;
        return `at most ${truncateValue(valueText(writer, highest, value))}${unit}`;
      },
    ],
  ];
}

/** Describes a number. In the oldest JSON Schema it could be true, which excludes the bound beside it. */
function number(keyword: string, words: string): [string, Describer] {
  return [
    keyword,
    (_, value, writer) => {
      if (value === true) return 'bounds excluded';
      return typeof value === 'number' ? `${words} ${truncateValue(valueText(writer, keyword, value))}` : undefined;
    },
  ];
}

function text(words: string): Describer {
  return (_, value) => (typeof value === 'string' ? `${words} ${truncate(value, MAX_LENGTH)}` : undefined);
}

function flag(words: string): Describer {
  return (_, value) => (value === true ? words : undefined);
}

/** Describes a keyword by its own JSON, because there are no shorter words for it. */
function literal(keyword: string): [string, Describer] {
  return [keyword, (_, value, writer) => `${keyword} ${truncateValue(valueText(writer, keyword, value))}`];
}

function truncateValue(json: string | undefined): string {
  return truncate(json ?? '…', MAX_LENGTH);
}

const MAX_LENGTH = 100;
