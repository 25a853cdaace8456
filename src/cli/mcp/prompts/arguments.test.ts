import { describe, expect, test } from 'vitest';
import { toAppError } from '../../../base/errors.ts';
import { declaredArguments, splitPairs, validatePromptArguments } from './arguments.ts';

const rules = {
  command: 'switchboard mcp prompts get',
  positionals: ['<server>.<prompt>'],
  requiredPositionals: 1,
  options: ['--timeout'],
};

describe('reports all invalid arguments at once', () => {
  const declared = [
    { name: 'city', isRequired: true },
    { name: 'state', isRequired: false },
  ];

  test('each by name, with the accepted arguments', () => {
    const error = caught(() => validatePromptArguments('a.weather', new Map([['cty', 'Bern']]), declared));
    expect([error.code, error.message, error.data]).toEqual([
      'USAGE',
      'a.weather: city is missing: text; cty is not known (did you mean city?). It takes city=… [state=…].',
      {
        prompt: 'a.weather',
        fields: [
          { field: 'city', message: 'city is missing: text' },
          { field: 'cty', message: 'cty is not known (did you mean city?)' },
        ],
      },
    ]);
  });

  test('even if the prompt takes none, and for any names', () => {
    const error = caught(() => validatePromptArguments('a.x', new Map([['__proto__', '1']]), []));
    expect(error.message).toBe('a.x: __proto__ is not known. It takes no arguments.');
    const odd = caught(() => validatePromptArguments('a.x', new Map(), [{ name: 'a\u001b[2J', isRequired: true }]));
    expect(odd.message).toBe('a.x: "a\\u001b[2J" is missing: text. It takes "a\\u001b[2J"=….');
  });

  test('and accepts valid ones, including the empty string', () => {
    expect(() => validatePromptArguments('a.weather', new Map([['city', '']]), declared)).not.toThrow();
  });
});

describe('key=value', () => {
  test('is read after the prompt name, between options and their values', () => {
    const { pairs, others } = splitPairs(
      ['--timeout', 'a=b', 'x.p=q', 'city=New York', '--json', 'eq=a=b', 'none=', '=x', 'word'],
      rules,
    );
    expect([Object.fromEntries(pairs), others]).toEqual([
      { city: 'New York', eq: 'a=b', none: '' },
      ['--timeout', 'a=b', 'x.p=q', '--json', '=x', 'word'],
    ]);
  });

  test('may follow a name that starts with a dash, after --', () => {
    const { pairs, others } = splitPairs(['--json', '--', '-x.p', 'city=Bern'], rules);
    expect([Object.fromEntries(pairs), others]).toEqual([{ city: 'Bern' }, ['--json', '--', '-x.p']]);
  });

  test('may appear only once', () => {
    expect(() => splitPairs(['a.p', 'x=1', 'x=2'], rules)).toThrow(/^x is given twice\./);
  });
});

test('reads declared arguments as far as they are valid', () => {
  const prompt = (declared: unknown) => declaredArguments(JSON.stringify({ name: 'p', arguments: declared }));
  expect([prompt(undefined), prompt('x'), prompt([])]).toEqual([undefined, undefined, []]);
  expect(prompt([{ name: 'a', required: true }, { name: 'b', required: 'yes' }, { name: 7 }, null])).toEqual([
    { name: 'a', isRequired: true },
    { name: 'b', isRequired: false },
  ]);
});

function caught(run: () => void) {
  try {
    run();
  } catch (error) {
    return toAppError(error);
  }
  throw new Error('Nothing was thrown.');
}
