import fc from 'fast-check';
import { expect, test } from 'vitest';
import { propertyRuns } from '../../../test/property-runs.ts';
import { type Frame, frameText } from '../frame.ts';
import type { OutgoingMessage } from '../json/splice.ts';
import { readResult } from './read-result.ts';

const BUDGET = propertyRuns(500);

const EXACT = ['9007199254740993', '1.0', '1e400', '{"a":1,"a":2}', '{"__proto__":{"x":1}}', '"\\ud800 é \\/"', '-0'];
const result = fc.oneof(fc.constantFrom(...EXACT), fc.json({ maxDepth: 3 }));
const ownId = fc.nat(999_999_999);
const newId = fc.oneof(
  fc.constantFrom('"é"', '9007199254740993', '1e400', '""', '-0'),
  fc.string({ unit: 'binary' }).map((id) => JSON.stringify(id)),
);
const cutSize = fc.integer({ min: 1, max: 200 });

test.each([
  ['the id first', ['"jsonrpc":"2.0"', 'ID', 'RESULT']],
  ['the id last', ['RESULT', '"jsonrpc":"2.0"', 'ID']],
  ['the id in the middle and a vendor member', ['"jsonrpc":"2.0"', '"vendor":{"id":5,"error":null}', 'ID', 'RESULT']],
  ['unusual whitespace', [' "jsonrpc" :\t"2.0"', ' ID ', '\tRESULT ']],
])('replaces the id of a response with %s, and keeps every other byte', (_, order) => {
  fc.assert(
    fc.property(ownId, newId, result, cutSize, (id, idText, value, size) => {
      const write = (text: string) =>
        `{${order.map((part) => part.replace('ID', () => `"id":${text}`).replace('RESULT', () => `"result":${value}`)).join(',')}}`;
      const read = readResult(cut(write(String(id)), size));
      expect(read?.id).toBe(id);
      expect(joined(read?.withId(idText))).toBe(write(idText));
    }),
    BUDGET,
  );
});

test('members in any order have the same meaning before and after', () => {
  const members = fc.shuffledSubarray(
    ['"jsonrpc":"2.0"', '"id":7', '"result":{"a":[1,"x"]}', '"_meta":{}', '"x":"}"'],
    {
      minLength: 5,
    },
  );
  fc.assert(
    fc.property(members, cutSize, (order, size) => {
      const text = `{${order.join(',')}}`;
      const spliced = joined(readResult(cut(text, size))?.withId('"other"'));
      expect(JSON.parse(spliced ?? '')).toEqual({ ...JSON.parse(text), id: 'other' });
    }),
    BUDGET,
  );
});

test.each([
  ['a second id', '{"jsonrpc":"2.0","id":7,"result":1,"id":8}'],
  ['a second id before the first', '{"id":8,"jsonrpc":"2.0","id":7,"result":1}'],
  ['a second id under an escaped key', '{"jsonrpc":"2.0","id":7,"result":1,"\\u0069d":8}'],
  ['a second id in capitals', '{"jsonrpc":"2.0","id":7,"result":1,"ID":8}'],
  ['duplicate results', '{"jsonrpc":"2.0","id":7,"result":1,"result":2}'],
  ['a result and an error', '{"jsonrpc":"2.0","id":7,"result":1,"error":{"code":1,"message":"x"}}'],
  ['a large result and an error before it', `{"error":{},"jsonrpc":"2.0","id":7,"result":"${'x'.repeat(9000)}"}`],
  ['an error under an escaped key', '{"jsonrpc":"2.0","id":7,"result":1,"\\u0065rror":{}}'],
  ['a result and a null error', '{"jsonrpc":"2.0","id":7,"result":1,"error":null}'],
  ['only an error', '{"jsonrpc":"2.0","id":7,"error":{"code":1,"message":"x"}}'],
  ['a result key with a long s', '{"jsonrpc":"2.0","id":7,"result":1,"re\u017fult":2}'],
  ['a method', '{"jsonrpc":"2.0","id":7,"result":1,"method":"ping"}'],
  ['no id', '{"jsonrpc":"2.0","result":1}'],
  ['a string id', '{"jsonrpc":"2.0","id":"7","result":1}'],
  ['a negative id', '{"jsonrpc":"2.0","id":-7,"result":1}'],
  ['a fractional id', '{"jsonrpc":"2.0","id":7.0,"result":1}'],
  ['an id beyond double precision', '{"jsonrpc":"2.0","id":9007199254740993,"result":1}'],
  ['an id with a leading zero', '{"jsonrpc":"2.0","id":07,"result":1}'],
  ['a second message after it', '{"jsonrpc":"2.0","id":7,"result":1} {"jsonrpc":"2.0","id":8,"result":1}'],
  ['trailing junk', '{"jsonrpc":"2.0","id":7,"result":1}}'],
  ['an invalid result', '{"jsonrpc":"2.0","id":7,"result":tru}'],
  ['an invalid escape', '{"jsonrpc":"2.0","id":7,"result":"\\x"}'],
  ['a raw tab in a string', '{"jsonrpc":"2.0","id":7,"result":"a\tb"}'],
  ['mismatched brackets', '{"jsonrpc":"2.0","id":7,"result":[}'],
  ['a missing end', '{"jsonrpc":"2.0","id":7,"result":{"a":1}'],
  ['a line break inside', '{"jsonrpc":"2.0","id":7,\n"result":1}'],
  ['a carriage return inside', '{"jsonrpc":"2.0","id":7,\r"result":1}'],
  ['an array', '[{"jsonrpc":"2.0","id":7,"result":{}}]'],
  ['nothing', ''],
])('does not splice a response with %s', (_, text) => {
  for (const size of [1, 7, 10_000]) expect(readResult(cut(text, size))).toBeUndefined();
});

const LARGE = JSON.stringify({ content: [{ type: 'text', text: 'é"\\x'.repeat(20_000) }] });

test.each([
  ['the id first', `{"jsonrpc":"2.0","id":7,"result":${LARGE}}`, `{"jsonrpc":"2.0","id":"new","result":${LARGE}}`],
  ['the id last', `{"result":${LARGE},"jsonrpc":"2.0","id":7}`, `{"result":${LARGE},"jsonrpc":"2.0","id":"new"}`],
  ['another order', `{"id":7,"jsonrpc":"2.0","result":${LARGE}}`, `{"id":"new","jsonrpc":"2.0","result":${LARGE}}`],
])('keeps the result bytes of a large response with %s', (_, text, expected) => {
  for (const size of [65_536, 1_000]) {
    const read = readResult(cut(text, size));
    expect(read?.id).toBe(7);
    expect(joined(read?.withId('"new"'))).toBe(expected);
  }
});

test('a large response in tiny pieces has the same meaning', () => {
  const text = `{"jsonrpc":"2.0","id":7,"result":${LARGE}}`;
  expect(JSON.parse(joined(readResult(cut(text, 7))?.withId('8')) ?? '')).toEqual({ ...JSON.parse(text), id: 8 });
});

test('sends the pieces of a large response without copying', () => {
  const frame = cut(`{"jsonrpc":"2.0","id":7,"result":${LARGE}}`, 65_536);
  const middle = frame[1];
  const outgoing = readResult(frame)?.withId('8');
  const pieces = typeof outgoing === 'string' ? [] : (outgoing?.pieces ?? []);
  const sent = pieces.find((piece) => piece instanceof Buffer && piece.equals(middle ?? piece));
  expect(sent instanceof Buffer && sent.buffer === middle?.buffer).toBe(true);
});

test.each([
  ['an error at the end', `{"jsonrpc":"2.0","id":7,"result":${LARGE},"error":{"code":1,"message":"x"}}`],
  ['an error before the id', `{"result":${LARGE},"error":{"code":1},"jsonrpc":"2.0","id":7}`],
  ['a missing end', `{"jsonrpc":"2.0","id":7,"result":${LARGE.slice(0, -9)}`],
  ['a second id', `{"jsonrpc":"2.0","id":7,"result":${LARGE},"id":8}`],
  ['a second id under an escaped key', `{"jsonrpc":"2.0","id":7,"result":${LARGE},"\\u0069d":8}`],
  ['a second id in capitals', `{"jsonrpc":"2.0","id":7,"result":${LARGE},"ID":8}`],
  ['another response after it', `{"jsonrpc":"2.0","id":7,"result":${LARGE}}{"jsonrpc":"2.0","id":8,"result":1}`],
  ['an invalid number', `{"jsonrpc":"2.0","id":7,"result":{"a":${LARGE},"mean":NaN}}`],
  ['an invalid escape', `{"jsonrpc":"2.0","id":7,"result":{"a":${LARGE},"b":"\\x"}}`],
  ['a control character', `{"jsonrpc":"2.0","id":7,"result":{"a":${LARGE},"b":"\u0001"}}`],
  ['a trailing comma', `{"jsonrpc":"2.0","id":7,"result":{"a":${LARGE},}}`],
  ['a number with a leading zero', `{"result":{"a":${LARGE},"b":01},"jsonrpc":"2.0","id":7}`],
  ['a line break inside', `{"jsonrpc":"2.0","id":7,"result":${LARGE}\n}`],
])('does not splice a large response with %s', (_, text) => {
  for (const size of [65_536, 1_000]) expect(readResult(cut(text, size))).toBeUndefined();
});

test('forwards a large response that mentions errors at its end', () => {
  const result = JSON.stringify({ text: 'x'.repeat(20_000), error: null });
  const text = `{"jsonrpc":"2.0","id":7,"result":${result}}`;
  expect(joined(readResult(cut(text, 65_536))?.withId('8'))).toBe(`{"jsonrpc":"2.0","id":8,"result":${result}}`);
});

test.each([
  ['the id first', (value: string) => `{"jsonrpc":"2.0","id":7,"result":${value}}`],
  ['the id last', (value: string) => `{"result":${value},"jsonrpc":"2.0","id":7}`],
  ['another order', (value: string) => `{"id":7,"result":${value},"jsonrpc":"2.0"}`],
])('the depth of a response with %s is that of the whole message', (_, write) => {
  for (const [value, depth] of [
    ['1', 1],
    ['{}', 2],
    ['{"a":[[]]}', 4],
  ] as const) {
    expect(readResult(cut(write(value), 9))?.depth).toBe(depth);
  }
  const deep = '['.repeat(20_000) + ']'.repeat(20_000);
  expect(readResult(cut(write(deep), 1_000))?.depth).toBeGreaterThan(10_000);
});

test('rejects a response truncated at any position', () => {
  const text = '{"jsonrpc":"2.0","id":7,"result":{"content":[{"type":"text","text":"{}}"}]}}';
  for (let length = 0; length < text.length; length++)
    expect(readResult(cut(text.slice(0, length), 9))).toBeUndefined();
});

test('rejects a response with invalid UTF-8', () => {
  const bytes = Buffer.from('{"jsonrpc":"2.0","id":7,"result":"?"}');
  bytes[bytes.indexOf('?')] = 0xff;
  expect(readResult([bytes])).toBeUndefined();
});

test('a spliced response is JSON with the new id and the same result', () => {
  const part = fc.constantFrom(
    '"id":7',
    '"id":8',
    '"\\u0069d":9',
    '"Id":1',
    '"result":{}',
    '"result":[1',
    ']',
    '}',
    '{',
    '"error":1',
    '"x":"\\"',
    '"',
  );
  fc.assert(
    fc.property(fc.array(part, { maxLength: 6 }), cutSize, (parts, size) => {
      const text = `{${parts.join(',')}}`;
      const spliced = joined(readResult(cut(text, size))?.withId('"new"'));
      if (spliced !== undefined) expect(JSON.parse(spliced)).toEqual({ ...JSON.parse(text), id: 'new' });
    }),
    BUDGET,
  );
});

function cut(text: string, size: number): Frame {
  const bytes = Buffer.from(text);
  return Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
    bytes.subarray(index * size, (index + 1) * size),
  );
}

function joined(spliced: OutgoingMessage | undefined): string | undefined {
  if (spliced === undefined || typeof spliced === 'string') return spliced;
  const bytes = spliced.pieces.map((piece) => Buffer.from(piece));
  expect(Buffer.concat(bytes)).toHaveLength(spliced.bytes);
  return frameText(bytes);
}
