import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { propertyRuns } from '../../../test/property-runs.ts';
import { needsNeutralizing } from '../../base/text/safe-text.ts';
import { RawJson } from '../../wire/messages.ts';
import { argumentsDigest, argumentsText, snapshotArguments } from './arguments-snapshot.ts';

describe('arguments', () => {
  test('that JSON cannot represent are rejected', () => {
    const circle: Record<string, unknown> = {};
    circle['self'] = circle;
    for (const bad of [circle, { big: 1n }])
      expect(() => snapshotArguments(bad)).toThrow(
        expect.objectContaining({
          code: 'BAD_ARGUMENTS',
          message: expect.stringMatching(/^its arguments cannot be written as JSON: /),
        }),
      );
  });

  test('are a copy', () => {
    const written = { path: 'a' };
    const taken = snapshotArguments(written);
    written.path = 'b';
    expect(taken).toEqual({ value: { path: 'a' }, json: '{"path":"a"}' });
    expect(snapshotArguments(undefined)).toEqual({ value: null, json: 'null' });
  });

  test('have the same digest in any order, and another one for another meaning', () => {
    const digest = (written: unknown) => argumentsDigest(snapshotArguments(written));
    expect(digest({ a: 1, b: [1, 2] })).toBe(digest({ b: [1, 2], a: 1 }));
    expect(digest({ b: [1, 2] })).not.toBe(digest({ b: [2, 1] }));
    expect(digest({ a: '1' })).not.toBe(digest({ a: 1 }));
  });
});

describe('displayed arguments', () => {
  const textOf = (written: unknown) => argumentsText(snapshotArguments(written));

  test('hide nothing and parse to the same value', () => {
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: 'binary', maxDepth: 2 }), (value) => {
        const text = textOf(value);
        fc.pre(!text.endsWith('not shown]'));
        expect([JSON.parse(text), needsNeutralizing(text, { multiline: true })]).toEqual([
          JSON.parse(JSON.stringify(value)),
          false,
        ]);
      }),
      propertyRuns(40),
    );
    // Generating from all of Unicode takes seconds to set up.
  });

  test('escape control, bidirectional and invisible characters', () => {
    expect(textOf({ a: '\u001b[2J', b: 'x\u202ey', c: '\u200b\u3164\ufe01', d: '\u{e0041}', e: 'é\n' })).toBe(
      [
        '{',
        '  "a": "\\u001b[2J",',
        '  "b": "x\\u202ey",',
        '  "c": "\\u200b\\u3164\\ufe01",',
        '  "d": "\\udb40\\udc41",',
        '  "e": "é\\n"',
        '}',
      ].join('\n'),
    );
  });

  test('keep numbers and duplicate keys as sent', () => {
    const sent = '{"a":9007199254740993,"b":[1.0,{},[]],"a":1e400}';
    const lines = [
      '{',
      '  "a": 9007199254740993,',
      '  "b": [',
      '    1.0,',
      '    {},',
      '    []',
      '  ],',
      '  "a": 1e400',
      '}',
    ];
    expect(textOf(new RawJson(sent))).toBe(lines.join('\n'));
  });

  test('are complete up to 4 KiB, then truncated with the missing length', () => {
    expect(textOf('x'.repeat(4094))).toBe(`"${'x'.repeat(4094)}"`);
    const numbers = Array.from({ length: 2000 }, (_, at) => at);
    const whole = JSON.stringify(numbers, null, 2);
    expect(textOf(numbers)).toBe(`${whole.slice(0, 4096)}\n[${whole.length - 4096} more characters are not shown]`);
  });

  test('show every name, and truncate long strings first', () => {
    const args = { padding: 'x'.repeat(5000), path: '/etc/shadow', emoji: '😀'.repeat(200) };
    expect(JSON.parse(textOf(args))).toEqual({
      padding: `${'x'.repeat(256)} [4744 more characters are not shown]`,
      path: '/etc/shadow',
      emoji: `${'😀'.repeat(128)} [144 more characters are not shown]`,
    });
  });

  test('are short for deeply nested values', () => {
    const nested = (depth: number) => JSON.parse(`${'['.repeat(depth)}${']'.repeat(depth)}`);
    expect(textOf({ brackets: ']'.repeat(3000), deep: nested(3000) }).length).toBeLessThan(5000);
  });
});
