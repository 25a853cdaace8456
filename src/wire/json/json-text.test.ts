import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readElements, readMembers, type Span } from './json-text.ts';
import { scanElements, scanMembers } from './scan.ts';

describe('positions in JSON', () => {
  test('finds members in order, with repeated, escaped and unusual keys', () => {
    const text = ' { "a" : 1 ,\n"\\u0062": {"x": ["}", "\\""]}, "a": "\\\\", "__proto__": true, "": [] } ';
    expect(readMembers(text, 1)).toEqual([
      { key: 'a', keyStart: 3, start: 9, end: 10 },
      { key: 'b', keyStart: 13, start: 23, end: 41 },
      { key: 'a', keyStart: 43, start: 48, end: 52 },
      { key: '__proto__', keyStart: 54, start: 67, end: 71 },
      { key: '', keyStart: 73, start: 77, end: 79 },
    ]);
  });

  test('finds elements in order', () => {
    const list = '[1, "a,b" ,[2, {"c": 3}],\n-0.5e3,null]';
    expect(readElements(list).map(({ start, end }) => [start, end])).toEqual([
      [1, 2],
      [4, 9],
      [11, 24],
      [26, 32],
      [33, 37],
    ]);
    expect(readElements('[ ]')).toEqual([]);
    expect(readMembers('{ }')).toEqual([]);
  });

  test('handles a string of only escapes', () => {
    const long = JSON.stringify('"'.repeat(400_000));
    const text = `{"a": ${long}, "b": 1}`;
    expect(readMembers(text).map(({ key }) => key)).toEqual(['a', 'b']);
  });

  test('match the exact scanner for any JSON', () => {
    fc.assert(
      fc.property(anyObject(), fc.constantFrom(0, 1, '\t'), (value, indent) => {
        const text = JSON.stringify(value, null, indent);
        const members = readMembers(text).map(({ key, start, end }) => ({ key, ...bytesOf(text, { start, end }) }));
        expect(members).toEqual(scanMembers(Buffer.from(text)));
        const list = JSON.stringify(Object.values(value), null, indent);
        const elements = readElements(list).map((span) => bytesOf(list, span));
        expect(elements).toEqual(scanElements(Buffer.from(list)));
      }),
    );
  });
});

function anyObject(): fc.Arbitrary<Record<string, unknown>> {
  return fc.dictionary(anyText(), fc.jsonValue());
}

function bytesOf(text: string, { start, end }: Span): Span {
  const offsetOf = (at: number) => Buffer.byteLength(text.slice(0, at));
  return { start: offsetOf(start), end: offsetOf(end) };
}

/** Any characters, including lone surrogates. */
function anyText(): fc.Arbitrary<string> {
  return fc.array(fc.nat(0xffff), { maxLength: 20 }).map((units) => String.fromCharCode(...units));
}
