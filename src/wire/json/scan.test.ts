import fc from 'fast-check';
import { expect, test } from 'vitest';
import { propertyRuns } from '../../../test/property-runs.ts';
import { rawMember, scanElements, scanMembers } from './scan.ts';

const BUDGET = propertyRuns(500);

const space = fc.constantFrom('', '', '', ' ', '\t', ' \r\n ');
const valueText = fc.oneof(
  fc.json({ maxDepth: 3 }),
  fc.constantFrom(
    '9007199254740993',
    '1.0',
    '-0',
    '1e400',
    '"\\ud800"',
    '{"a":1,"a":2}',
    '{"__proto__":{"x":1}}',
    '[[]]',
  ),
  fc.jsonValue({ maxDepth: 3 }).map((value) => JSON.stringify(value, null, '\t')),
);
const keyName = fc.oneof(fc.constantFrom('id', 'result', '__proto__', '', 'é"\\', 'a'), fc.string({ unit: 'binary' }));
const keyText = fc
  .tuple(keyName, fc.boolean())
  .map(([key, escaped]) => (escaped ? escapeAll(key) : JSON.stringify(key)));
const members = fc.array(fc.tuple(keyText, valueText, space, space), { maxLength: 6 });

test('finds the members in order and byte for byte', () => {
  fc.assert(
    fc.property(members, space, (written, gap) => {
      const bytes = Buffer.from(`${gap}{${gap}${written.map(memberText).join(',')}}${gap}`);
      const found = scanMembers(bytes)?.map(({ key, start, end }) => [key, bytes.toString('utf8', start, end)]);
      expect(found).toEqual(written.map(([key, value]) => [JSON.parse(key), value]));
    }),
    BUDGET,
  );
});

test('the last of two members with the same name is the one that JSON.parse keeps', () => {
  fc.assert(
    fc.property(members, (written) => {
      const bytes = Buffer.from(`{${written.map(memberText).join(',')}}`);
      const parsed: Record<string, unknown> = JSON.parse(bytes.toString());
      for (const key of Object.keys(parsed)) {
        expect(JSON.stringify(JSON.parse(rawMember(bytes, key) ?? ''))).toBe(JSON.stringify(parsed[key]));
      }
    }),
    BUDGET,
  );
});

test('rejects exactly what JSON.parse rejects', () => {
  const token = fc.constantFrom(
    ...[
      '{',
      '}',
      '[',
      ']',
      ',',
      ':',
      ' ',
      '\t',
      '\n',
      '"a"',
      '"a":',
      '"\\u00e9"',
      '"\\u00g9"',
      '"\\x"',
      '"\\"',
      '"\t"',
    ],
    ...[
      '0',
      '-',
      '-1',
      '01',
      '1.',
      '.5',
      '1.5',
      '1e5',
      '1E+',
      '2e-3',
      '+1',
      'true',
      'tru',
      'false',
      'null',
      'nul',
      'NaN',
    ],
    ...['\u0000', '\u00a0', '\u2028', 'é', '{}', '[]', '"', '\\', '//', "'a'", '"long enough to be read in words"'],
  );
  const tokens = fc.array(token, { maxLength: 9 }).map((parts) => parts.join(''));
  const text = fc.oneof(
    tokens,
    tokens.map((inside) => `{"a":${inside}}`),
    tokens.map((inside) => `{"a":[${inside}]}`),
    tokens.map((inside) => `{${inside}}`),
  );
  fc.assert(
    fc.property(text, (candidate) => {
      expect(scanMembers(Buffer.from(candidate)) !== undefined).toBe(isJsonObject(candidate));
    }),
    BUDGET,
  );
});

test('accepts a valid object with one changed byte exactly if JSON.parse does', () => {
  const object = fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 4 });
  const ascii = fc.integer({ min: 0, max: 127 });
  fc.assert(
    fc.property(object, fc.nat(), ascii, fc.constantFrom(0, 1), (value, place, byte, removed) => {
      const bytes = [...Buffer.from(escapeNonAscii(JSON.stringify(value)))];
      bytes.splice(place % (bytes.length + 1), removed, byte);
      const candidate = Buffer.from(bytes);
      expect(scanMembers(candidate) !== undefined).toBe(isJsonObject(candidate.toString()));
    }),
    BUDGET,
  );
});

test('rejects an object truncated at any position', () => {
  const text = '{"id":1,"result":{"a":[1.5e3,true,"x\\u0041\\n",null,{}]}}';
  for (let length = 0; length < text.length; length++) {
    expect(scanMembers(Buffer.from(text.slice(0, length)))).toBeUndefined();
  }
});

test('does not use the stack for depth', () => {
  const depth = 200_000;
  const text = `{"deep":${'[{"a":'.repeat(depth)}1${'}]'.repeat(depth)}}`;
  expect(scanMembers(Buffer.from(text))).toEqual([{ key: 'deep', start: 8, end: text.length - 1 }]);
});

test('finds the elements of an array at their positions', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(space, valueText, space), { maxLength: 6 }), (written) => {
      const bytes = Buffer.from(` [${written.map((parts) => parts.join('')).join(',')}]`);
      const found = scanElements(bytes).map(({ start, end }) => bytes.toString('utf8', start, end));
      expect(found).toEqual(written.map(([, value]) => value));
    }),
    BUDGET,
  );
});

function memberText([key, value, before, after]: readonly [string, string, string, string]): string {
  return `${before}${key}${after}:${before}${value}${after}`;
}

function escapeAll(text: string): string {
  const units = Array.from({ length: text.length }, (_, at) => text.charCodeAt(at).toString(16).padStart(4, '0'));
  return `"${units.map((unit) => `\\u${unit}`).join('')}"`;
}

function escapeNonAscii(json: string): string {
  return json.replace(/[^ -~]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

function isJsonObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  } catch {
    // Not JSON, so not an object.
    return false;
  }
}
