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

/** No `number` is this one. */
const LONG = 9007199254740993n;

describe('what is typed', () => {
  test.each([
    ['text stays text, whatever it looks like', ['text=12'], { text: '12' }],
    ['of an empty value too', ['text='], { text: '' }],
    ['an equals sign belongs to the value', ['text=a=b'], { text: 'a=b' }],
    ['numbers', ['limit=5', 'ratio=-1.5e3'], { limit: 5, ratio: -1500 }],
    ['what is none stays text, to be complained about', ['limit=ten', 'ratio=1e400'], { limit: 'ten', ratio: '1e400' }],
    [
      'more digits than a number has are kept',
      ['limit=9007199254740993', 'ratio=-9007199254740993', 'unknown=9007199254740993', 'numbers=9007199254740993'],
      { limit: LONG, ratio: -LONG, unknown: LONG, numbers: [LONG] },
    ],
    ['a number of which nothing would be left stays text in JSON too', ['free=[1e400]'], { free: '[1e400]' }],
    ['in JSON too', ['text:=9007199254740993', 'free=[9007199254740993]'], { text: LONG, free: [LONG] }],
    ['true, false and null', ['isOn=true', 'nothing=null'], { isOn: true, nothing: null }],
    ['one element makes a list', ['tags=a'], { tags: ['a'] }],
    ['repeated keys make a list', ['numbers=1', 'numbers=2'], { numbers: [1, 2] }],
    ['a list may be JSON', ['tags=["a","b"]'], { tags: ['a', 'b'] }],
    ['members of objects by dots, through references', ['place.at.city=Ulm'], { place: { at: { city: 'Ulm' } } }],
    ['an object may be JSON', ['place={"city":"Ulm"}'], { place: { city: 'Ulm' } }],
    ['a name with a dot that the schema knows', ['dotted.name=x'], { 'dotted.name': 'x' }],
    ['a name with a dot that it does not know', ['other.name=x'], { 'other.name': 'x' }],
    ['of a union the first that fits, text last', ['maybe=7'], { maybe: 7 }],
    ['and text where nothing else fits', ['maybe=seven'], { maybe: 'seven' }],
    ['a choice by its JSON', ['level=3'], { level: 3 }],
    ['without a type, JSON where it is some', ['free=[1]', 'unknown=true'], { free: [1], unknown: true }],
    ['and text where it is none', ['free=[1', 'unknown=hello'], { free: '[1', unknown: 'hello' }],
    ['JSON by force', ['text:=12', 'free:={"a":[]}'], { text: 12, free: { a: [] } }],
  ])('%s', async (_, words, expected) => {
    expect(await build(words)).toEqual(expected);
  });

  test('goes over what --args gave, member by member', async () => {
    const base = { limit: 1, text: 'kept', place: { city: 'Ulm', country: 'DE' } };
    const built = await build(['limit=2', 'place.city=Bonn'], base);
    expect(built).toEqual({ limit: 2, text: 'kept', place: { city: 'Bonn', country: 'DE' } });
  });

  test('twice for what takes one value is refused', async () => {
    await expect(build(['limit=1', 'limit=2'])).rejects.toMatchObject({
      code: 'USAGE',
      message: 'limit is given 2 times, and takes one value.',
    });
  });

  test('never reaches the prototype of anything', async () => {
    const built = await build(['__proto__=1', 'constructor=2']);
    expect(JSON.stringify(built)).toBe('{"__proto__":1,"constructor":2}');
    expect(Object.getPrototypeOf(built)).toBe(Object.prototype);
  });

  test('of any text arrives as that text where text is wanted', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        const pairs: ArgumentPair[] = [{ key: 'text', text, isJson: false }];
        expect(buildArguments(pairs, {}, schema)).toEqual({ text });
      }),
    );
  });

  test('of any JSON arrives as that JSON where objects are wanted', () => {
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

  test('a value comes from a file or from stdin', async () => {
    expect(await parsePairs(['text=@poem.txt', 'free=@-'], readText)).toEqual([
      { key: 'text', text: 'of poem.txt', isJson: false },
      { key: 'free', text: 'of -', isJson: false },
    ]);
  });

  test('--args is JSON, a file or stdin', async () => {
    expect([
      await parseArgumentObject('{"a": [1.5, 9007199254740993]}', readText),
      await parseArgumentObject('@args.json', readText),
    ]).toEqual([{ a: [1.5, LONG] }, { limit: 5 }]);
  });

  test.each([
    [
      'a file that is not there',
      ['text=@octocat'],
      `text: octocat is not there. A text that begins with @ is written as text:='"@octocat"'.`,
    ],
    ['no name', ['=5'], '=5 names no argument: write key=value.'],
    ['what is no JSON', ['free:={a}'], 'free is not JSON: expected a key in double quotes, or } at "a}".'],
    ['a number that would become another', ['free:=[1e400]'], 'free: 1e400 would not arrive as it is written.'],
  ])('%s is told', async (_, words, message) => {
    await expect(parsePairs(words, readText)).rejects.toMatchObject({ code: 'USAGE', message });
  });

  test.each([
    ['[1]', '--args takes an object: {"key": value}, not [1].'],
    ['{"a": -1e999}', '--args: -1e999 would not arrive as it is written.'],
    ['{"a": 1', '--args is not JSON: the text ends too early: it needs } for the { that is still open.'],
    ['-', '--args - is not JSON: expected a value at "of -".'],
  ])('--args %s is refused', async (written, message) => {
    await expect(parseArgumentObject(written, readText)).rejects.toMatchObject({ code: 'USAGE', message });
  });
});

async function build(words: readonly string[], base: Readonly<Record<string, unknown>> = {}): Promise<unknown> {
  return buildArguments(await parsePairs(words, async () => ''), base, schema);
}
