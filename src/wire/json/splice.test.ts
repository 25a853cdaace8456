import fc from 'fast-check';
import { expect, test } from 'vitest';
import { propertyRuns } from '../../../test/property-runs.ts';
import { type Edit, type Spliced, spliceMembers, toOutgoingMessage } from './splice.ts';

const BUDGET = propertyRuns(500);

const EDITS: readonly Edit[] = [
  { path: ['id'], text: '41' },
  { path: ['params', 'name'], text: '"raw"' },
  { path: ['params', '_meta', 'progressToken'], text: '42' },
];
const odd = fc.constantFrom(
  '9007199254740993',
  '1.0',
  '1e400',
  '{"a":1,"a":2}',
  '{"__proto__":1,"name":"x","id":3}',
  '[]',
);
const anyText = fc.oneof(odd, fc.json({ maxDepth: 2 }));

test('replaces id, name and progress token, and leaves every other byte unchanged', () => {
  const order = fc.shuffledSubarray([0, 1, 2, 3], { minLength: 4 });
  fc.assert(
    fc.property(anyText, anyText, anyText, anyText, order, (id, name, token, args, places) => {
      const write = (first: string, second: string, third: string) => {
        const params = [
          `"name":${second}`,
          `"arguments": ${args}`,
          `"_meta":{"x":${args},"progressToken" : ${third}}`,
          '"y":"é"',
        ];
        return `{"jsonrpc":"2.0", "id":${first},"method":"tools/call","params":{${places.map((place) => params[place]).join(',')}}}`;
      };
      expect(joined(spliceMembers([Buffer.from(write(id, name, token))], EDITS))).toBe(write('41', '"raw"', '42'));
    }),
    BUDGET,
  );
});

test('finds members despite blanks after an inner object', () => {
  const write = (id: string, name: string, token: string) =>
    ` {"id" : ${id} , "params" : { "_meta" : { "progressToken" : ${token} } \t, "name" : ${name} } }`;
  expect(joined(spliceMembers([Buffer.from(write('1', '"a"', '2'))], EDITS))).toBe(write('41', '"raw"', '42'));
});

test('a spliced message equals one that is parsed, edited and serialized', () => {
  const meta = fc.record({ progressToken: fc.jsonValue(), other: fc.jsonValue() }, { requiredKeys: [] });
  const params = fc.record({ name: fc.string(), arguments: fc.jsonValue(), _meta: meta }, { requiredKeys: [] });
  const message = fc.record({ id: fc.nat(), method: fc.string(), params }, { requiredKeys: [] });
  fc.assert(
    fc.property(message, fc.integer({ min: 1, max: 100 }), (value, size) => {
      const text = JSON.stringify(value);
      const pieces = Array.from({ length: Math.ceil(Buffer.byteLength(text) / size) }, (_, index) =>
        Buffer.from(text).subarray(index * size, (index + 1) * size),
      );
      const expected = JSON.parse(text);
      if ('id' in expected) expected.id = 41;
      if (expected.params !== undefined && 'name' in expected.params) expected.params.name = 'raw';
      if (expected.params?._meta !== undefined && 'progressToken' in expected.params._meta) {
        expected.params._meta.progressToken = 42;
      }
      expect(JSON.parse(joined(spliceMembers(pieces, EDITS)) ?? '')).toEqual(expected);
    }),
    BUDGET,
  );
});

test('replaces every occurrence of a duplicate member, also under an escaped key', () => {
  const text = '{"id":1,"\\u0069d":2,"params":{"name":"a"},"params":{"n\\u0061me":"b"}}';
  expect(joined(spliceMembers([Buffer.from(text)], EDITS))).toBe(
    '{"id":41,"\\u0069d":41,"params":{"name":"raw"},"params":{"n\\u0061me":"raw"}}',
  );
});

test('replaces a name under params in capitals too', () => {
  const text = '{"params":{"name":"a"},"PARAMS":{"name":"b"}}';
  expect(joined(spliceMembers([Buffer.from(text)], EDITS))).toBe('{"params":{"name":"raw"},"PARAMS":{"name":"raw"}}');
});

test('ignores a member that does not occur', () => {
  expect(joined(spliceMembers([Buffer.from('{"params":[1]}')], EDITS))).toBe('{"params":[1]}');
});

test.each([
  ['an uppercase ID', '{"id":1,"ID":2}'],
  ['a capitalized Name', '{"id":1,"params":{"name":"a","Name":"b"}}'],
  ['a second message', '{"id":1} {"id":2}'],
  ['an invalid member', '{"id":1,"params":{"name":nope}}'],
  ['a missing end', '{"id":1,"params":{"name":"a"}'],
  ['a line break', '{"id":1,\n"params":{}}'],
  ['an array around it', '[{"id":1}]'],
])('does not splice a message with %s', (_, text) => {
  expect(spliceMembers([Buffer.from(text)], EDITS)).toBeUndefined();
});

function joined(spliced: Spliced | undefined): string | undefined {
  if (spliced === undefined) return undefined;
  const bytes = Buffer.concat(spliced.pieces.map((piece) => Buffer.from(piece)));
  expect(bytes).toHaveLength(spliced.bytes);
  return bytes.toString();
}

test('passes on a small message as text, byte for byte', () => {
  const text = '{ "method":"é😀", "params":{"x":1.0,"x":9007199254740993} }';
  expect(toOutgoingMessage([Buffer.from(text)])).toBe(text);
  const bytes = Buffer.from(text);
  expect(toOutgoingMessage([bytes.subarray(0, 13), bytes.subarray(13)])).toBe(text);
});

test('passes on a large message in its original buffers', () => {
  const frame = [Buffer.from(`{"x":"${'x'.repeat(20_000)}`), Buffer.from('"}')];
  expect(toOutgoingMessage(frame)).toEqual({ pieces: frame, bytes: 20_008 });
});

test.each([
  ['a line break in it', Buffer.from('{"x":\n1}')],
  ['a carriage return in it', Buffer.from('{"x":\r1}')],
  ['a non-object', Buffer.from('[1]')],
  ['an incomplete UTF-8 sequence', Buffer.from([0x7b, 0xc3, 0x7d])],
  ['no content', Buffer.from('')],
])('does not pass on a message with %s', (_, bytes) => {
  expect(toOutgoingMessage([bytes])).toBeUndefined();
});
