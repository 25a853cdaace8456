import { describe, expect, test } from 'vitest';
import { headerText, paramHeaders, readParamHeaders } from './param-headers.ts';

const object = (properties: object, rest: object = {}) => ({ type: 'object', properties, ...rest });
const asking = (name: unknown, type: unknown = 'string') => ({ type, 'x-mcp-header': name });

describe('rejects an invalid header request', () => {
  test.each<readonly [string, unknown, unknown]>([
    ['an empty name', object({ a: asking('') }), 'x-mcp-header of a is not a valid header name'],
    ['a space in the name', object({ a: asking('a b') }), 'x-mcp-header of a is not a valid header name'],
    ['a colon in the name', object({ a: asking('a:b') }), 'x-mcp-header of a is not a valid header name'],
    ['a non-ASCII letter', object({ a: asking('Regiön') }), 'x-mcp-header of a is not a valid header name'],
    ['a line break', object({ a: asking('a\r\nEvil: 1') }), 'x-mcp-header of a is not a valid header name'],
    ['a trailing line break', object({ a: asking('a\n') }), 'x-mcp-header of a is not a valid header name'],
    ['a name that is not a string', object({ a: asking(7) }), 'x-mcp-header of a is not a valid header name'],
    ...['object', 'array', 'null', 'number', undefined, ['string', 'null']].map(
      (type) =>
        [
          `a value of type ${JSON.stringify(type)}`,
          object({ a: { 'x-mcp-header': 'A', ...(type === undefined ? {} : { type }) } }),
          'x-mcp-header of a is on something other than text, integer or boolean',
        ] as const,
    ),
    ['a duplicate name', object({ a: asking('Same'), b: asking('same') }), 'x-mcp-header same is used twice'],
    [
      'a duplicate name in a nested object',
      object({ a: asking('Same'), b: object({ c: asking('SAME') }) }),
      'x-mcp-header SAME is used twice',
    ],
    [
      'an array element',
      object({ a: { type: 'array', items: asking('A') } }),
      'x-mcp-header of a cannot be reached by properties alone',
    ],
    [
      'one of several schemas',
      object({}, { anyOf: [object({ a: asking('A') })] }),
      'x-mcp-header of a cannot be reached by properties alone',
    ],
    [
      'additional properties',
      object({ a: object({}, { additionalProperties: asking('A') }) }),
      'x-mcp-header of a cannot be reached by properties alone',
    ],
    [
      'a pattern property',
      object({ a: object({}, { patternProperties: { '^x': asking('A') } }) }),
      'x-mcp-header of a cannot be reached by properties alone',
    ],
    [
      'a referenced schema',
      object({ a: { $ref: '#/$defs/b' } }, { $defs: { b: asking('A') } }),
      expect.stringContaining('cannot be reached by properties alone'),
    ],
  ])('%s', (_, schema, why) => {
    expect(readParamHeaders(schema)).toEqual(why);
  });
});

describe('a schema that requests headers', () => {
  test('may do so in properties at any depth', () => {
    const schema = object({
      region: asking('Region'),
      level: asking('Level', 'integer'),
      urgent: asking('Urgent', 'boolean'),
      place: object({ city: asking('City') }),
      note: { type: 'string' },
    });
    expect(readParamHeaders(schema)).toEqual([
      { path: ['region'], header: 'mcp-param-region' },
      { path: ['level'], header: 'mcp-param-level' },
      { path: ['urgent'], header: 'mcp-param-urgent' },
      { path: ['place', 'city'], header: 'mcp-param-city' },
    ]);
  });

  test('gets a separate header for a name of the protocol', () => {
    expect(readParamHeaders(object({ a: asking('Method') }))).toEqual([{ path: ['a'], header: 'mcp-param-method' }]);
  });

  test('may have a property called properties or x-mcp-header', () => {
    const schema = object({ properties: asking('A'), 'x-mcp-header': { type: 'string' } });
    expect(readParamHeaders(schema)).toEqual([{ path: ['properties'], header: 'mcp-param-a' }]);
  });

  test('may have values that only look like a request', () => {
    const schema = object({ a: { type: 'string', default: { 'x-mcp-header': '' }, enum: [{ 'x-mcp-header': '' }] } });
    expect(readParamHeaders(schema)).toEqual([]);
  });

  test.each([undefined, null, true, [], 'text', {}, { properties: 7 }])('%j requests none', (schema) => {
    expect(readParamHeaders(schema)).toEqual([]);
  });

  test('that is circular terminates', () => {
    const schema: Record<string, unknown> = object({});
    (schema['properties'] as Record<string, unknown>)['again'] = schema;
    expect(readParamHeaders(schema)).toEqual([]);
  });
});

describe('the headers of one call', () => {
  const wanted = [
    { path: ['region'], header: 'mcp-param-region' },
    { path: ['place', 'city'], header: 'mcp-param-city' },
  ];

  test.each([
    [{ region: 'eu-west 1' }, { 'mcp-param-region': 'eu-west 1' }],
    [{ region: '' }, { 'mcp-param-region': '' }],
    [{ region: 42 }, { 'mcp-param-region': '42' }],
    [{ region: -0.5 }, { 'mcp-param-region': '-0.5' }],
    [{ region: false }, { 'mcp-param-region': 'false' }],
    [{ place: { city: 'Bonn' } }, { 'mcp-param-city': 'Bonn' }],
    [{ region: 'München' }, { 'mcp-param-region': '=?base64?TcO8bmNoZW4=?=' }],
    [{ region: null, place: null }, {}],
    [{ region: { a: 1 }, place: 'Bonn' }, {}],
    [{ region: ['a'] }, {}],
    [{}, {}],
    [undefined, {}],
    [null, {}],
  ])('for %j', (args, headers) => {
    expect(paramHeaders(wanted, () => JSON.stringify(args))).toEqual(headers);
  });

  test('ignore inherited properties', () => {
    expect(paramHeaders([{ path: ['constructor', 'name'], header: 'mcp-param-a' }], () => '{}')).toEqual({});
  });
});

describe('text in a header', () => {
  test.each(['plain', 'with inner  blanks', '', 'file:///path/to/file%20name.txt', '~!@#$%^&*()', '=?base64?'])(
    '%j is sent unchanged',
    (text) => {
      expect(headerText(text)).toBe(text);
    },
  );

  test.each([
    ' leading',
    'trailing ',
    'tab\tinside',
    'line\r\nEvil: 1',
    '\0',
    '\u007f',
    'ü',
    '日本語',
    '🌍',
    '=?base64?QQ==?=',
    '=?base64??=',
  ])('%j is sent in base64', (text) => {
    expect(headerText(text)).toBe(`=?base64?${Buffer.from(text).toString('base64')}?=`);
  });
});

test.each([
  ['9007199254740993', '9007199254740993'],
  ['1.0', '1'],
  ['1e400', '1e400'],
])('a number written as %s has the header value %s', (written, shown) => {
  const wanted = [{ path: ['a'], header: 'mcp-param-a' }];
  expect(paramHeaders(wanted, () => `{"a":${written}}`)).toEqual({ 'mcp-param-a': shown });
});
