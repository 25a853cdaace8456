import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type ArgumentPair, parseArgumentObject, parsePairs } from './argument-pairs.ts';
import { buildArguments } from './build-arguments.ts';

const schema = {
  type: 'object',
  properties: {
    text: { type: 'string' },
    limit: { type: 'integer' },
    ratio: { type: 'number' },
    isOn: { type: 'boolean' },
    nothing: { type: 'null' },
    tags: { type: 'array', items: { type: 'string' } },
    numbers: { type: 'array', items: { type: 'number' } },
    place: { $ref: '#/$defs/place' },
    'dotted.name': { type: 'string' },
    maybe: { anyOf: [{ type: 'string' }, { type: 'integer' }, { type: 'null' }] },
    level: { enum: ['low', 3, null] },
    free: {},
  },
  $defs: { place: { type: 'object', properties: { city: { type: 'string' }, at: { $ref: '#/$defs/place' } } } },
};

/** No JavaScript number has this value. */
const LONG = 9007199254740993n;

describe('a typed argument', () => {
  test.each([
    ['a string stays a string, whatever it looks like', ['text=12'], { text: '12' }],
    ['an empty value is an empty string', ['text='], { text: '' }],
    ['an equals sign is part of the value', ['text=a=b'], { text: 'a=b' }],
    ['numbers', ['limit=5', 'ratio=-1.5e3'], { limit: 5, ratio: -1500 }],
    [
      'an invalid number stays a string, for validation to report',
      ['limit=ten', 'ratio=1e400'],
      { limit: 'ten', ratio: '1e400' },
    ],
    [
      'a number with too many digits keeps them all',
      ['limit=9007199254740993', 'ratio=-9007199254740993', 'unknown=9007199254740993', 'numbers=9007199254740993'],
      { limit: LONG, ratio: -LONG, unknown: LONG, numbers: [LONG] },
    ],
    ['JSON with a number out of range stays a string', ['free=[1e400]'], { free: '[1e400]' }],
    [
      'a number in JSON keeps all its digits too',
      ['text:=9007199254740993', 'free=[9007199254740993]'],
      { text: LONG, free: [LONG] },
    ],
    ['true, false and null', ['isOn=true', 'nothing=null'], { isOn: true, nothing: null }],
    ['one value becomes an array', ['tags=a'], { tags: ['a'] }],
    ['repeated keys become an array', ['numbers=1', 'numbers=2'], { numbers: [1, 2] }],
    ['an array can be JSON', ['tags=["a","b"]'], { tags: ['a', 'b'] }],
    ['dots set members of objects, through references', ['place.at.city=Ulm'], { place: { at: { city: 'Ulm' } } }],
    ['an object can be JSON', ['place={"city":"Ulm"}'], { place: { city: 'Ulm' } }],
    ['a dotted name in the schema is one key', ['dotted.name=x'], { 'dotted.name': 'x' }],
    ['a dotted name not in the schema is one key', ['other.name=x'], { 'other.name': 'x' }],
    ['a union takes the first type that matches, string last', ['maybe=7'], { maybe: 7 }],
    ['a union falls back to a string', ['maybe=seven'], { maybe: 'seven' }],
    ['an enum value is matched by its JSON', ['level=3'], { level: 3 }],
    ['an untyped value is parsed as JSON', ['free=[1]', 'unknown=true'], { free: [1], unknown: true }],
    [
      'an untyped value that is not JSON stays a string',
      ['free=[1', 'unknown=hello'],
      { free: '[1', unknown: 'hello' },
    ],
    [':= forces JSON', ['text:=12', 'free:={"a":[]}'], { text: 12, free: { a: [] } }],
  ])('%s', async (_, words, expected) => {
    expect(await build(words)).toEqual(expected);
  });

  test('overrides single members of --args', async () => {
    const base = { limit: 1, text: 'kept', place: { city: 'Ulm', country: 'DE' } };
    const built = await build(['limit=2', 'place.city=Bonn'], base);
    expect(built).toEqual({ limit: 2, text: 'kept', place: { city: 'Bonn', country: 'DE' } });
  });

  test('given twice for a single value is rejected', async () => {
    await expect(build(['limit=1', 'limit=2'])).rejects.toMatchObject({
      code: 'USAGE',
      message: 'limit is given 2 times, but takes one value.',
    });
  });

  test('never changes a prototype', async () => {
    const built = await build(['__proto__=1', 'constructor=2']);
    expect(JSON.stringify(built)).toBe('{"__proto__":1,"constructor":2}');
    expect(Object.getPrototypeOf(built)).toBe(Object.prototype);
  });

  test('passes any text unchanged to a string', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        const pairs: ArgumentPair[] = [{ key: 'text', text, isJson: false }];
        expect(buildArguments(pairs, {}, schema)).toEqual({ text });
      }),
    );
  });

  test('passes any JSON unchanged to an object', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (value) => {
        const text = JSON.stringify(value);
        const pairs: ArgumentPair[] = [{ key: 'place', text, isJson: false }];
        expect(buildArguments(pairs, {}, schema)).toEqual({ place: JSON.parse(text) });
      }),
    );
  });
});

describe('files and JSON', () => {
  const readText = async (file: string) => {
    if (file === 'poem.txt' || file === '-') return `of ${file}`;
    if (file === 'args.json') return '{"limit": 5}';
    throw new Error(`${file} is not there.`);
  };

  test('reads a value from a file or from stdin', async () => {
    expect(await parsePairs(['text=@poem.txt', 'free=@-'], readText)).toEqual([
      { key: 'text', text: 'of poem.txt', isJson: false },
      { key: 'free', text: 'of -', isJson: false },
    ]);
  });

  test('reads --args as JSON, from a file or from stdin', async () => {
    expect([
      await parseArgumentObject('{"a": [1.5, 9007199254740993]}', readText),
      await parseArgumentObject('@args.json', readText),
    ]).toEqual([{ a: [1.5, LONG] }, { limit: 5 }]);
  });

  test.each([
    [
      'a missing file',
      ['text=@octocat'],
      `text: octocat is not there. To pass text that begins with @, write text:='"@octocat"'.`,
    ],
    ['a missing name', ['=5'], '=5 is not an argument: write key=value.'],
    ['invalid JSON', ['free:={a}'], 'free is not JSON: expected a key in double quotes, or } at "a}".'],
    ['a number that cannot be sent exactly', ['free:=[1e400]'], 'free: 1e400 cannot be sent exactly as written.'],
  ])('reports %s', async (_, words, message) => {
    await expect(parsePairs(words, readText)).rejects.toMatchObject({ code: 'USAGE', message });
  });

  test.each([
    ['[1]', '--args takes an object: {"key": value}, not [1].'],
    ['{"a": -1e999}', '--args: -1e999 cannot be sent exactly as written.'],
    ['{"a": 1', '--args is not JSON: the text ends too early: it needs } for the { that is still open.'],
    ['-', '--args - is not JSON: expected a value at "of -".'],
  ])('rejects --args %s', async (written, message) => {
    await expect(parseArgumentObject(written, readText)).rejects.toMatchObject({ code: 'USAGE', message });
  });
});

async function build(words: readonly string[], base: Readonly<Record<string, unknown>> = {}): Promise<unknown> {
  return buildArguments(await parsePairs(words, async () => ''), base, schema);
}
