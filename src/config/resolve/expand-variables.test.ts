import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { expandVariables } from './expand-variables.ts';

/** `${inner}` */
const ref = (inner: string) => `\${${inner}}`;

const env: Readonly<Record<string, string>> = { A: 'one', B: ref('A'), EMPTY: '', _x9: 'odd' };
const expand = (text: string) =>
  expandVariables(text, {
    lookup: (name) => (Object.hasOwn(env, name) ? env[name] : undefined),
    missingError: (name) => new Error(`missing ${name}`),
  });

describe('expands variables', () => {
  test.each([
    [ref('A'), 'one'],
    [`x${ref('A')}y${ref('A')}`, 'xoneyone'],
    [ref('_x9'), 'odd'],
    [ref('EMPTY'), ''],
    [ref('A:-two'), 'one'],
    [ref('NONE:-two'), 'two'],
    [ref('NONE:-'), ''],
    [ref('EMPTY:-two'), 'two'],
    [ref('NONE:-a:-b'), 'a:-b'],
    [ref(`NONE:-x${ref('A')}z`), 'xonez'],
    [ref(`NONE:-${ref(`NONE:-${ref('A')}`)}`), 'one'],
    // Unused variables may be unset.
    [ref(`A:-${ref('NONE')}`), 'one'],
  ])('%s to %j', (text, expected) => {
    expect(expand(text)).toBe(expected);
  });

  test('once, without expanding their values', () => {
    expect(expand(ref('B'))).toBe(ref('A'));
  });

  test.each([ref('NONE'), `a${ref('NONE')}`, ref(`NONE:-${ref('NONE')}`)])(
    'and reports the missing variable in %s',
    (text) => {
      expect(() => expand(text)).toThrow('missing NONE');
    },
  );

  test.each([
    ...['$A', '$', '$$', '{A}', '${', '${A', '${NONE:-x'],
    ...['', '1', 'A-x', 'A//x/y', '#A', ' A ', 'a.b'].map(ref),
  ])('but leaves %s unchanged', (text) => {
    expect(expand(text)).toBe(text);
  });

  test('after an unterminated reference', () => {
    expect(expand(`\${NONE:-${ref('A')}`)).toBe('${NONE:-one');
  });

  test('without changing the surrounding text or the values', () => {
    const plain = anyText().map((text) => text.replaceAll('$', ''));
    const name = fc.stringMatching(/^[A-Za-z_][A-Za-z0-9_]{0,10}$/);
    const part = fc.record({ before: plain, name, value: anyText() });
    fc.assert(
      fc.property(fc.uniqueArray(part, { selector: (each) => each.name }), plain, (parts, end) => {
        const text = parts.map(({ before, name }) => `${before}${ref(name)}`).join('') + end;
        const values = new Map(parts.map(({ name, value }) => [name, value]));
        const expanded = expandVariables(text, {
          lookup: (name) => values.get(name),
          missingError: (name) => new Error(name),
        });
        expect(expanded).toBe(parts.map(({ before, value }) => before + value).join('') + end);
      }),
    );
  });
});

/** Any characters, including lone surrogates. */
function anyText(): fc.Arbitrary<string> {
  return fc.array(fc.nat(0xffff), { maxLength: 20 }).map((units) => String.fromCharCode(...units));
}
