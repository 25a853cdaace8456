import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { numbersIn, parseExact, stringifyExact, withPlainNumbers } from './exact-json.ts';

const LONG = '9007199254740993';

describe('exact JSON', () => {
  test('rejects invalid JSON with a SyntaxError', () => {
    expect(() => parseExact(`{"a": ${LONG}`)).toThrow(SyntaxError);
  });

  test('keeps all digits of integers only', () => {
    const json = `{"a": [${LONG}, -${LONG}, 1, 1.5, 1e3], "${LONG}": "${LONG}", "d${LONG}" : "d${LONG}", "t": "t\\"1"}`;
    const long = BigInt(LONG);
    expect(parseExact(json)).toEqual({
      a: [long, -long, 1, 1.5, 1000],
      [LONG]: LONG,
      [`d${LONG}`]: `d${LONG}`,
      t: 't"1',
    });
  });

  test('may be a single number', () => {
    expect([parseExact(LONG), parseExact(' 7 '), parseExact('9007199254740992')]).toEqual([BigInt(LONG), 7, 2 ** 53]);
  });

  test('never changes a prototype', () => {
    const read = parseExact(`{"__proto__": {"a": ${LONG}}}`);
    expect([Object.getPrototypeOf(read), stringifyExact(read)]).toEqual([
      Object.prototype,
      `{"__proto__":{"a":${LONG}}}`,
    ]);
  });

  test('round-trips any JSON with an integer of any length', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.bigInt(), (value, number) => {
        const json = `{"value":${JSON.stringify(value)},"number":${number}}`;
        expect(parseExact(JSON.stringify(value))).toEqual(JSON.parse(JSON.stringify(value)));
        expect(stringifyExact(parseExact(json))).toBe(json);
      }),
    );
  });
});

test('indents like JSON.stringify', () => {
  expect(stringifyExact({ a: [BigInt(LONG), 1] }, 2)).toBe(`{\n  "a": [\n    ${LONG},\n    1\n  ]\n}`);
});

test('withPlainNumbers converts to the nearest number', () => {
  const long = BigInt(LONG);
  expect(withPlainNumbers({ a: [long, 'x', null, true], b: 10n ** 400n, c: -(10n ** 400n) })).toEqual({
    a: [2 ** 53, 'x', null, true],
    b: Number.MAX_VALUE,
    c: -Number.MAX_VALUE,
  });
});

test('finds no numbers inside strings and keys', () => {
  expect(numbersIn('{"1": "2\\"3", "a": [-4.5e6, 7]}')).toEqual(['-4.5e6', '7']);
});
