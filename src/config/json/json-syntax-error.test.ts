import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { propertyRuns } from '../../../test/property-runs.ts';
import { isJson } from '../../base/text/is-json.ts';
import { findJsonSyntaxError } from './json-syntax-error.ts';

describe('finds JSON syntax errors', () => {
  test.each([
    ['', 0, 'the file ends too early: it needs a value'],
    ['{', 1, 'the file ends too early: it needs } for the { that is still open'],
    ['[1, {"a": [', 11, 'the file ends too early: it needs ] for the [ that is still open'],
    ['{"a"}', 4, 'a colon is missing after the key'],
    ['{"a": }', 6, 'expected a value'],
    ['{"a": 1,}', 8, 'there must be no comma before this }'],
    ['[1,]', 3, 'there must be no comma before this ]'],
    ['{a: 1}', 1, 'expected a key in double quotes, or }'],
    ['{"a": 1, b: 2}', 9, 'expected a key in double quotes'],
    ["{'a': 1}", 1, 'strings need double quotes'],
    ['{"a": 1 "b": 2}', 8, 'a comma or } is missing before this'],
    ['["a" "b"]', 5, 'a comma or ] is missing before this'],
    ['{"a": [1}', 8, 'a comma or ] is missing before this'],
    ['{} {}', 3, 'nothing may follow the end of the value'],
    ['{"a": "b', 8, 'the file ends inside a string'],
    ['{"a": "b\nc"}', 8, 'a string may not contain a line break or control character'],
    ['{"a": "C:\\Users"}', 9, 'a backslash in a string must be doubled, or begin an escape'],
    ['{"a": "\\u12"}', 7, 'a backslash in a string must be doubled, or begin an escape'],
    ['// hello\n{}', 0, 'comments are not allowed in JSON'],
    ['{"a": 1 /* b */}', 8, 'comments are not allowed in JSON'],
    ['# hello', 0, 'comments are not allowed in JSON'],
    ['01', 1, 'nothing may follow the end of the value'],
    ['[NaN]', 1, 'expected a value'],
    ['[1.]', 2, 'a comma or ] is missing before this'],
  ])('in %j at %i', (text, offset, message) => {
    expect(findJsonSyntaxError(text)).toEqual({ offset, message });
  });

  test('in exactly the texts that JSON.parse rejects', () => {
    fc.assert(
      fc.property(damagedJson(), (text) => {
        const fault = findJsonSyntaxError(text);
        expect(fault === undefined).toBe(isJson(text));
        if (fault !== undefined) expect(fault.offset).toBeLessThanOrEqual(text.length);
      }),
      propertyRuns(500),
    );
  });

  test('no later than the position that the engine reports', () => {
    fc.assert(
      fc.property(damagedJson(), (text) => {
        const seen = enginePosition(text);
        if (seen !== undefined) expect(findJsonSyntaxError(text)?.offset).toBeLessThanOrEqual(seen);
      }),
      propertyRuns(500),
    );
  });
});

/** JSON with a part removed or inserted. */
function damagedJson(): fc.Arbitrary<string> {
  const pieces = fc.constantFrom('', 'tru', ...'{}[],:"\\0-.e/\'\n');
  return fc
    .tuple(fc.jsonValue(), fc.constantFrom(0, 2), fc.double({ min: 0, max: 1, noNaN: true }), fc.nat(2), pieces)
    .map(([value, indent, where, gone, piece]) => {
      const text = JSON.stringify(value, null, indent);
      const at = Math.floor(where * text.length);
      return text.slice(0, at) + piece + text.slice(at + gone);
    });
}

function enginePosition(text: string): number | undefined {
  try {
    JSON.parse(text);
    return undefined;
  } catch (error) {
    const found = /at position (\d+)/.exec(String(error));
    return found === null ? undefined : Number(found[1]);
  }
}
