import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { scanElements, scanMembers } from '../../wire/json/scan.ts';
import { findElements, findMembers } from './json-positions.ts';

describe('the places of the parts of JSON', () => {
  test('members in order, with repeated, escaped and odd keys', () => {
    const text = ' { "a" : 1 ,\n"\\u0062": {"x": ["}", "\\""]}, "a": "\\\\", "__proto__": true, "": [] } ';
    expect(findMembers(text, 1)).toEqual([
      { key: 'a', keyStart: 3, valueStart: 9 },
      { key: 'b', keyStart: 13, valueStart: 23 },
      { key: 'a', keyStart: 43, valueStart: 48 },
      { key: '__proto__', keyStart: 54, valueStart: 67 },
      { key: '', keyStart: 73, valueStart: 77 },
    ]);
  });

  test('elements in order', () => {
    expect(findElements('[1, "a,b" ,[2, {"c": 3}],\n-0.5e3,null]', 0)).toEqual([1, 4, 11, 26, 33]);
    expect(findElements('[ ]', 0)).toEqual([]);
    expect(findMembers('{ }', 0)).toEqual([]);
  });

  test('a string of nothing but escapes', () => {
    const long = JSON.stringify('"'.repeat(400_000));
    const text = `{"a": ${long}, "b": 1}`;
    expect(findMembers(text, 0).map(({ key }) => key)).toEqual(['a', 'b']);
  });

  test('are those that the exact scanner finds, in any JSON', () => {
    fc.assert(
      fc.property(anyObject(), fc.constantFrom(0, 1, '\t'), (value, indent) => {
        const text = JSON.stringify(value, null, indent);
        const members = findMembers(text, 0).map(({ key, valueStart }) => [key, byteOffset(text, valueStart)]);
        expect(members).toEqual((scanMembers(Buffer.from(text)) ?? []).map(({ key, start }) => [key, start]));
        const list = JSON.stringify(Object.values(value), null, indent);
        const elements = findElements(list, 0).map((start) => byteOffset(list, start));
        expect(elements).toEqual(scanElements(Buffer.from(list)).map(({ start }) => start));
      }),
    );
  });
});

function anyObject(): fc.Arbitrary<Record<string, unknown>> {
  return fc.dictionary(anyText(), fc.jsonValue());
}

function byteOffset(text: string, offset: number): number {
  return Buffer.byteLength(text.slice(0, offset));
}

/** Any characters at all, halves of pairs included. */
function anyText(): fc.Arbitrary<string> {
  return fc.array(fc.nat(0xffff), { maxLength: 20 }).map((units) => String.fromCharCode(...units));
}
