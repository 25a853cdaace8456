import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { propertyRuns } from '../../../test/property-runs.ts';
import type { OutgoingMessage } from '../json/splice.ts';
import { type CallFrame, readCall } from './read-call.ts';
import { readCommonCall } from './read-common-call.ts';

const read = (text: string) => readCall([Buffer.from(text)]);

describe('any regular call', () => {
  test('is read like JSON.parse does', () => {
    fc.assert(
      fc.property(usualCall, ({ parts }) => {
        const text = write(parts, {});
        const { id, params } = JSON.parse(text);
        const call = read(text);
        expect(summary(call)).toEqual({
          id,
          name: params.name,
          token: params._meta?.progressToken,
          bytes: Buffer.byteLength(text),
          isTask: 'task' in params,
        });
      }),
    );
  });

  test('is written with another id, name and token, and no other byte changed', () => {
    fc.assert(
      fc.property(usualCall, fc.nat(), fc.string({ unit: 'grapheme' }), ({ parts }, id, name) => {
        const expected = write(parts, { id: String(id), name: JSON.stringify(name), token: String(id) });
        const written = bytesOf(read(write(parts, {}))?.write(id, name));
        const isSame = JSON.parse(write(parts, {})).params.name === name;
        // An unchanged name is not rewritten.
        expect(written.toString()).toBe(isSame ? write(parts, { id: String(id), token: String(id) }) : expected);
      }),
    );
  });

  test('is the same in one piece and in several', () => {
    fc.assert(
      fc.property(usualCall, fc.nat(), ({ parts }, cut) => {
        const bytes = Buffer.from(write(parts, {}));
        const at = 1 + (cut % (bytes.length - 1));
        const whole = readCall([bytes]);
        const pieces = readCall([bytes.subarray(0, at), bytes.subarray(at)]);
        expect(summary(pieces)).toEqual(summary(whole));
        expect(bytesOf(pieces?.write(7, 'x'))).toEqual(bytesOf(whole?.write(7, 'x')));
      }),
    );
  });
});

describe('a call in the usual compact form', () => {
  test('is read and written like any other form', () => {
    fc.assert(
      fc.property(compactCall, fc.nat(), fc.nat(), (text, cut, id) => {
        const bytes = Buffer.from(text);
        const at = 1 + (cut % (bytes.length - 1));
        // A call in two chunks is scanned.
        const scanned = readCall([bytes.subarray(0, at), bytes.subarray(at)]);
        const whole = readCall([bytes]);
        expect(summary(whole)).toEqual(summary(scanned));
        expect(bytesOf(whole?.write(id, 'other'))).toEqual(bytesOf(scanned?.write(id, 'other')));
      }),
      propertyRuns(500),
    );
  });

  test('is recognized, whichever client wrote it', () => {
    for (const [text, token] of [
      ['{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"a","arguments":{}}}', undefined],
      [
        '{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"_meta":{"x":{"y":[]},"progressToken":"t"},"name":"a"}}',
        '"t"',
      ],
      [
        '{"method":"tools/call","params":{"name":"a","arguments":{},"_meta":{"progressToken":1}},"jsonrpc":"2.0","id":3}',
        '1',
      ],
    ] as const) {
      const call = readCommonCall([Buffer.from(text)]);
      expect([call?.idText, call?.name, call?.progressToken]).toEqual(['3', 'a', token]);
    }
  });
});

test('reads any message the same as JSON.parse, or not at all', () => {
  let calls = 0;
  fc.assert(
    fc.property(oddMessage, (text) => {
      const call = read(text);
      if (call === undefined) return;
      calls++;
      const message = JSON.parse(text);
      expect(message.method).toBe('tools/call');
      expect(JSON.parse(call.idText)).toEqual(message.id);
      expect(call.name).toBe(message.params.name);
      const token = message.params._meta?.progressToken;
      expect(call.progressToken).toBe(token === undefined ? undefined : JSON.stringify(token));
      const written = JSON.parse(bytesOf(call.write(7, 'other')).toString());
      if (token !== undefined) message.params._meta.progressToken = 7;
      expect(written).toEqual({ ...message, id: 7, params: { ...message.params, name: 'other' } });
    }),
    propertyRuns(2_000),
  );
  expect(calls).toBeGreaterThan(200);
});

test('keeps numbers, duplicate keys and escapes unchanged', () => {
  const odd =
    '{"big":9007199254740993,"float":1.0,"huge":1e400,"twice":1,"twice":2,"__proto__":{"x":1},"e":"\\u0041\\/"}';
  const call = read(
    `{"jsonrpc":"2.0", "id" : 1.0 ,"method":"tools/call","params":{ "name":"a\\u0062","arguments":${odd} } }`,
  );
  expect([call?.idText, call?.name]).toEqual(['1.0', 'ab']);
  expect(bytesOf(call?.write(3, 'raw')).toString()).toBe(
    `{"jsonrpc":"2.0", "id" : 3 ,"method":"tools/call","params":{ "name":"raw","arguments":${odd} } }`,
  );
});

test('writes a large call in its original buffers', () => {
  const text = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","arguments":{"x":"${'é'.repeat(50_000)}"}}}`;
  const written = read(text)?.write(22, 'b');
  expect(typeof written).toBe('object');
  expect(bytesOf(written).toString()).toBe(text.replace('"id":1', '"id":22').replace('"a"', '"b"'));
  expect(typeof written === 'object' ? written.bytes : 0).toBe(bytesOf(written).length);
});

test.each([
  ['another method', '{"id":1,"method":"tools/list","params":{"name":"a"}}'],
  ['no id', '{"method":"tools/call","params":{"name":"a"}}'],
  ['a null id', '{"id":null,"method":"tools/call","params":{"name":"a"}}'],
  ['an object id', '{"id":{},"method":"tools/call","params":{"name":"a"}}'],
  ['duplicate ids', '{"id":1,"id":2,"method":"tools/call","params":{"name":"a"}}'],
  ['an uppercase ID', '{"id":1,"ID":2,"method":"tools/call","params":{"name":"a"}}'],
  ['an escaped second id', '{"id":1,"\\u0069d":2,"method":"tools/call","params":{"name":"a"}}'],
  ['duplicate methods', '{"id":1,"method":"tools/call","method":"ping","params":{"name":"a"}}'],
  ['duplicate params', '{"id":1,"method":"tools/call","params":{"name":"a"},"params":{"name":"b"}}'],
  [
    'earlier params without a name',
    '{"id":1,"method":"tools/call","params":{"_meta":{"progressToken":1}},"params":{"name":"b"}}',
  ],
  ['capitalized Params', '{"id":1,"method":"tools/call","params":{"name":"a"},"Params":{"name":"b"}}'],
  ['params that are an array', '{"id":1,"method":"tools/call","params":["a"]}'],
  ['a missing name', '{"id":1,"method":"tools/call","params":{}}'],
  ['an empty name', '{"id":1,"method":"tools/call","params":{"name":""}}'],
  ['a name that is not a string', '{"id":1,"method":"tools/call","params":{"name":7}}'],
  ['duplicate names', '{"id":1,"method":"tools/call","params":{"name":"a","name":"b"}}'],
  ['an escaped second name', '{"id":1,"method":"tools/call","params":{"name":"a","n\\u0061me":"b"}}'],
  ['a capitalized Name', '{"id":1,"method":"tools/call","params":{"name":"a","Name":"b"}}'],
  [
    'duplicate progress tokens',
    '{"id":1,"method":"tools/call","params":{"name":"a","_meta":{"progressToken":1,"progressToken":2}}}',
  ],
  ['duplicate _meta', '{"id":1,"method":"tools/call","params":{"name":"a","_meta":{"progressToken":1},"_meta":{}}}'],
  ['an invalid progress token', '{"id":1,"method":"tools/call","params":{"name":"a","_meta":{"progressToken":{}}}}'],
  ['an invalid _meta', '{"id":1,"method":"tools/call","params":{"name":"a","_meta":7}}'],
  ['an additional result', '{"id":1,"method":"tools/call","params":{"name":"a"},"result":{}}'],
  ['an additional error', '{"id":1,"method":"tools/call","params":{"name":"a"},"error":{}}'],
  ['a batch', '[{"id":1,"method":"tools/call","params":{"name":"a"}}]'],
  ['trailing data', '{"id":1,"method":"tools/call","params":{"name":"a"}}{}'],
  ['a trailing comma', '{"id":1,"method":"tools/call","params":{"name":"a"},}'],
  ['a line break in it', '{"id":1,\n"method":"tools/call","params":{"name":"a"}}'],
  ['arguments that are not JSON', '{"id":1,"method":"tools/call","params":{"name":"a","arguments":{x:1}}}'],
  ['nothing', ''],
])('leaves a call with %s to the parser', (_, text) => {
  expect(read(text)).toBeUndefined();
});

test('leaves invalid UTF-8 to the parser', () => {
  const [before, after] = ['{"id":1,"method":"tools/call","params":{"name":"a","arguments":{"x":"', '"}}}'];
  const line = (...inner: number[]) => [Buffer.concat([Buffer.from(before), Buffer.from(inner), Buffer.from(after)])];
  expect(readCall(line(0xc3, 0xa9))).toBeDefined();
  expect(readCall(line(0xc3))).toBeUndefined();
  expect(readCall(line(0xff))).toBeUndefined();
});

/** The meaning of a call, without its bytes. */
function summary(call: CallFrame | undefined) {
  if (call === undefined) return undefined;
  const { idText, name, progressToken, bytes, isTask } = call;
  const token = progressToken === undefined ? undefined : JSON.parse(progressToken);
  return { id: JSON.parse(idText), name, token, bytes, isTask };
}

function bytesOf(message: OutgoingMessage | undefined): Buffer {
  if (message === undefined) return Buffer.alloc(0);
  if (typeof message === 'string') return Buffer.from(message);
  return Buffer.concat(message.pieces.map((piece) => Buffer.from(piece)));
}

type Part = string | { readonly kind: 'id' | 'name' | 'token'; readonly text: string };

/** Joins the parts as text. Each position is written unchanged, or as `instead` specifies. */
function write(parts: readonly Part[], instead: Partial<Record<'id' | 'name' | 'token', string>>): string {
  return parts.map((part) => (typeof part === 'string' ? part : (instead[part.kind] ?? part.text))).join('');
}

/** JSON text with whitespace in unusual places. */
const json = fc.oneof(
  fc.json(),
  fc.json().map((text) => JSON.stringify(JSON.parse(text), undefined, 1).replaceAll('\n', ' ')),
);
const blank = fc.constantFrom('', ' ', '\t', '  ');
const id = fc.oneof(
  fc.integer().map(String),
  fc.string({ unit: 'grapheme' }).map((text) => JSON.stringify(text)),
);
const name = fc.string({ unit: 'grapheme', minLength: 1 }).map((text) => JSON.stringify(text));
const strange = fc.string({ unit: 'grapheme' }).map((key) => JSON.stringify(`x-${key}`));

const member = (key: string, value: readonly Part[]): readonly Part[] => [`${key}:`, ...value];

/** An object with its members in any order and whitespace around them. */
function object(members: fc.Arbitrary<readonly (readonly Part[])[]>): fc.Arbitrary<readonly Part[]> {
  return fc
    .tuple(members, blank, blank)
    .chain(([all, before, after]) =>
      fc
        .shuffledSubarray([...all], { minLength: all.length })
        .map((shuffled) => [
          `{${before}`,
          ...shuffled.flatMap((own, index) => (index === 0 ? own : [`${after},${before}`, ...own])),
          `${after}}`,
        ]),
    );
}

const meta = object(
  fc
    .tuple(fc.option(id), fc.option(fc.tuple(strange, json)))
    .map(([token, other]) => [
      ...(token === null ? [] : [member('"progressToken"', [{ kind: 'token', text: token }])]),
      ...(other === null ? [] : [member(other[0], [other[1]])]),
    ]),
);

const params = object(
  fc
    .record({
      name,
      meta: fc.option(meta),
      args: fc.option(json),
      task: fc.option(json),
      filling: fc.nat({ max: 6_000 }),
    })
    .map((own) => [
      member('"name"', [{ kind: 'name', text: own.name }]),
      ...(own.meta === null ? [] : [member('"_meta"', own.meta)]),
      ...(own.args === null ? [] : [member('"arguments"', [own.args])]),
      ...(own.task === null ? [] : [member('"task"', [own.task])]),
      member('"x-filling"', [JSON.stringify('é'.repeat(own.filling))]),
    ]),
);

const usualCall = object(
  fc
    .record({ id, params, other: fc.option(fc.tuple(strange, json)) })
    .map((own) => [
      member('"jsonrpc"', ['"2.0"']),
      member('"id"', [{ kind: 'id', text: own.id }]),
      member('"method"', ['"tools/call"']),
      member('"params"', own.params),
      ...(own.other === null ? [] : [member(own.other[0], [own.other[1]])]),
    ]),
).map((parts) => ({ parts }));

const compactMeta = fc
  .array(
    fc.constantFrom('"progressToken":1', '"progressToken":"t"', '"progressToken":{}', ' "progressToken" :2', '"x":[1]'),
    { maxLength: 3 },
  )
  .map((all) => `"_meta":{${all.join(',')}}`);
const compactParams = fc
  .array(
    fc.oneof(
      fc.constantFrom('"name":"a"', '"name":"é"', '"name":"\\u0061"', '"n\\u0061me":"b"', '"task":{}', '"name": "b"'),
      fc.constantFrom('"arguments":{"x":",\\"jsonrpc\\":\\"2.0\\",\\"id\\":1"}', '"arguments":{', '"Name":"c"'),
      compactMeta,
      json.map((text) => `"arguments":${text}`),
    ),
    { maxLength: 3 },
  )
  .map((all) => `{${['"name":"tool"', ...all].sort().join(',')}}`);
const compactId = fc.constantFrom(
  '1',
  '0',
  '-7',
  '01',
  '1.5',
  '1e3',
  '"a-b"',
  '"\\u0061"',
  'null',
  '9007199254740993',
  '""',
);
const compactCall = fc
  .tuple(compactParams, compactId, fc.boolean())
  .map(([own, ownId, isIdFirst]) =>
    isIdFirst
      ? `{"jsonrpc":"2.0","id":${ownId},"method":"tools/call","params":${own}}`
      : `{"method":"tools/call","params":${own},"jsonrpc":"2.0","id":${ownId}}`,
  );

/** Calls with extra members, valid or not. */
const oddMeta = members(
  [],
  [
    ['"progressToken"', fc.constantFrom('1', '"t"', '{}', 'null')],
    ['"progress\\u0054oken"', fc.constant('2')],
    ['"other"', json],
  ],
);
const oddParams = members(
  ['"name":"a"'],
  [
    ['"name"', fc.constantFrom('"b"', '""', '7')],
    ['"n\\u0061me"', fc.constant('"c"')],
    ['"_meta"', oddMeta],
    ['"arguments"', json],
  ],
);
const oddMessage = oddParams.chain((own) =>
  members(
    ['"id":1', '"method":"tools/call"', `"params":${own}`],
    [
      ['"id"', fc.constantFrom('2', '"x"', 'null')],
      ['"method"', fc.constantFrom('"tools/call"', '"tools\\/call"', '"ping"')],
      ['"params"', oddParams],
      ['"\\u0069d"', fc.constant('9')],
      ['"jsonrpc"', fc.constant('"2.0"')],
      ['"other"', json],
    ],
  ),
);

/** An object with the required members and up to three of the others, in any order. */
function members(
  wanted: readonly string[],
  others: readonly (readonly [string, fc.Arbitrary<string>])[],
): fc.Arbitrary<string> {
  const one = fc.oneof(...others.map(([key, value]) => value.map((text) => `${key}:${text}`)));
  return fc
    .array(one, { maxLength: 3 })
    .chain((extra) => fc.shuffledSubarray([...wanted, ...extra], { minLength: wanted.length + extra.length }))
    .map((all) => `{${all.join(',')}}`);
}
