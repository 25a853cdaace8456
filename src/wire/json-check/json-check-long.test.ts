import fc from 'fast-check';
import { expect, test } from 'vitest';
import { propertyRuns } from '../../../test/property-runs.ts';
import { checkJson, createScriptMachine, createWasmMachine, INVALID, MAX_DEPTH, type Machine } from './json-check.ts';
import { FINAL_STATES, STATES } from './states.ts';

// Values of a few hundred bytes without whitespace are checked 64 bytes at a time.

const BUDGET = propertyRuns(200);

const scalar = fc.oneof(
  fc.constantFrom('0', '-0', '7', '-12', '100', '0.5', '-10.25', '123456789.987654321', '1e5', '2.5E-7', '-0e+1'),
  fc.constantFrom('true', 'false', 'null', '""', '"a"', '"é"', '"a,b:{c}[d]"', '"\\n"', '"\\"\\\\"', '"\\u00e9"'),
  fc.constantFrom('"\\\\\\\\"', '"\\ud83d\\ude00"', '"\\ud83d"', '[]', '{}', '[[]]', '[{}]', '{"a":{}}', '"\\/"'),
  fc.integer().map(String),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => JSON.stringify(value)),
  fc.string({ maxLength: 100 }).map((text) => JSON.stringify(text)),
);
const { json } = fc.letrec<{ json: string }>((tie) => ({
  json: fc.oneof(
    { maxDepth: 4 },
    { weight: 3, arbitrary: scalar },
    { weight: 2, arbitrary: fc.array(tie('json'), { maxLength: 6 }).map((values) => `[${values.join(',')}]`) },
    {
      weight: 2,
      arbitrary: fc
        .array(fc.tuple(fc.constantFrom('id', 'a', '', 'é', 'isActive', '\\n', '{'), tie('json')), { maxLength: 6 })
        .map((members) => `{${members.map(([key, value]) => `"${key}":${value}`).join(',')}}`),
    },
  ),
}));
const long = fc
  .array(json, { minLength: 8, maxLength: 60 })
  .map((values) => `[${values.join(',')}]`)
  .filter((text) => text.length > 400);

/** Blocks without quotes take a shorter path. */
const numbers = fc
  .array(
    fc.oneof(
      { weight: 8, arbitrary: fc.double({ min: -1e6, max: 1e6, noNaN: true }).map((value) => JSON.stringify(value)) },
      { weight: 4, arbitrary: fc.integer({ min: -100, max: 100_000 }).map(String) },
      { weight: 1, arbitrary: fc.constantFrom('true', 'null', '[]', '{}', '[0.5,-1]', '-0', '{"a":1}', '"a"') },
    ),
    { minLength: 40, maxLength: 120 },
  )
  .map((values) => `{"content":[],"values":[${values.join(',')}]}`);

/** One small change, which makes most texts invalid. */
const change = fc.record({
  at: fc.nat(),
  removed: fc.nat({ max: 2 }),
  added: fc.oneof(
    fc.constantFrom(
      '',
      ',',
      ':',
      '{',
      '}',
      '[',
      ']',
      '"',
      '\\',
      '0',
      '1',
      '-',
      '.',
      'e',
      '+',
      ' ',
      '\t',
      '\u0001',
      'é',
    ),
    fc.constantFrom(
      'true',
      'tru',
      'null1',
      '1true',
      'NaN',
      '""',
      '"a":',
      ',"a"',
      '01',
      '-.5',
      '1.',
      '{]',
      '[}',
      '[,',
      '_',
    ),
  ),
});

const pieceSize = fc.integer({ min: 60, max: 5_000 });

test('a long value is valid exactly when JSON.parse accepts it, also after a small change', () => {
  fc.assert(
    fc.property(fc.oneof(long, numbers), fc.option(change), pieceSize, (text, changed, size) => {
      const changedText = changed === null ? text : apply(text, changed);
      fc.pre(!/[\r\n]/.test(changedText));
      // Depths are not compared, because JSON.parse drops the first value of a duplicate key.
      expect(checkJson(cut(changedText, size)).depth === INVALID).toBe(expectedDepth(changedText) === INVALID);
    }),
    BUDGET,
  );
});

/** A checked block steps over `},{` at once if it is between two objects of an array. */
test.each([
  ['{"a":1},{"b":2}', true],
  ['{},{}', true],
  ['{"a":{}},{"b":[]}', true],
  ['[{}],[{}]', true],
  ['{"a":{},"b":{}}', true],
  ['"},{"', true],
  ['{"a":1},{"b"}', false],
  ['{"a":1},{2}', false],
  ['{"a":1},{,"b":2}', false],
  ['{"a":1,},{"b":2}', false],
  ['{"a":1},{"b":2},', false],
  ['{"a":{},{"b":2}}', false],
  ['[1},{"b":2}', false],
  ['[1},{2]', false],
  ['{"a":[1},{"b":2]}', false],
  ['{"a":1}},{{"b":2}', false],
] as const)('rows such as %s are checked the same at every position of a block', (rows, isValid) => {
  for (let padding = 0; padding < 70; padding++) {
    const text = `{"a":["${'x'.repeat(padding)}",{"id":1},${rows},{"id":${'1'.repeat(60)}},{"id":2},{"name":"${'y'.repeat(300)}"}]}`;
    expect([padding, checkJson([Buffer.from(text)]).depth !== INVALID]).toEqual([padding, isValid]);
    expect([padding, expectedDepth(text) !== INVALID]).toEqual([padding, isValid]);
  }
});

test('WebAssembly and JavaScript agree on long values', () => {
  const [fast, plain] = [createWasmMachine(), createScriptMachine()];
  fc.assert(
    fc.property(fc.oneof(long, numbers), fc.array(change, { maxLength: 2 }), (text, changes) => {
      const bytes = Buffer.from(changes.reduce(apply, text));
      expect(outcome(fast, bytes)).toEqual(outcome(plain, bytes));
    }),
    BUDGET,
  );
});

test('a wrong character is detected at every position of a block', () => {
  const row = '{"id":17,"name":"user 17","price":-0.25,"tags":["a",null,true,{}],"isActive":false}';
  const rows = `[${Array(8).fill(row).join(',')}]`;
  expect(checkJson([Buffer.from(rows)]).depth).toBe(4);
  for (let at = 300; at < 300 + 2 * row.length; at++) {
    for (const character of '{}[],:"\\0-.eE+ x\t\u0000\u007fé') {
      for (const removed of [0, 1]) {
        const text = apply(rows, { at, removed, added: character });
        expect([text, checkJson([Buffer.from(text)]).depth]).toEqual([text, expectedDepth(text)]);
      }
    }
  }
});

test('a wrong character is detected at every position of a list of numbers, and of members without quotes', () => {
  for (const opening of ['[[', '[{"a":']) {
    const closing = opening === '[[' ? ']]' : '}]';
    const list = `${opening}${Array(40).fill('12,-0.25,0,100.5').join(',')}${closing}`;
    for (let at = 200; at < 280; at++) {
      for (const character of '{}[],:"\\/0-.eE+ x\t\u0000\u007fé') {
        for (const removed of [0, 1]) {
          const text = apply(list, { at, removed, added: character });
          expect([text, checkJson([Buffer.from(text)]).depth]).toEqual([text, expectedDepth(text)]);
        }
      }
    }
  }
});

test('only the escapes of JSON are accepted, at every position of a block', () => {
  for (let length = 0; length < 70; length++) {
    for (let byte = 0x20; byte < 256; byte++) {
      const bytes = Buffer.from(`["${'x'.repeat(200 + length)}\\?${'x'.repeat(200)}"]`);
      bytes[2 + 200 + length + 1] = byte;
      const isValid = '"\\/bfnrt'.includes(String.fromCharCode(byte));
      expect([length, byte, checkJson([bytes]).depth]).toEqual([length, byte, isValid ? 1 : INVALID]);
    }
  }
});

test('brackets are matched and counted in deeply nested values', () => {
  for (const depth of [100, MAX_DEPTH - 100, MAX_DEPTH, MAX_DEPTH + 1]) {
    const deep = `${'[0,'.repeat(depth - 1)}[]${']'.repeat(depth - 1)}`;
    expect(checkJson([Buffer.from(deep)]).depth).toBe(Math.min(depth, MAX_DEPTH + 1));
    if (depth > MAX_DEPTH) continue;
    expect(checkJson([Buffer.from(`${deep}]`)]).depth).toBe(INVALID);
    expect(checkJson([Buffer.from(deep.slice(0, -1))]).depth).toBe(INVALID);
    expect(checkJson([Buffer.from(`${deep.slice(0, -1)}}`)]).depth).toBe(INVALID);
  }
});

test('nothing may follow a long outermost value', () => {
  const value = `[${Array(200).fill('[1]').join(',')}]`;
  const rest = Array(100).fill('[1]').join(',');
  expect(checkJson([Buffer.from(value)]).depth).toBe(2);
  for (const more of [',', ']', '}', `,${rest}`, `]${rest}`, `[${rest}]`, ':1', '"a"', '0'])
    expect(checkJson([Buffer.from(value + more + ' '.repeat(100))]).depth).toBe(INVALID);
  expect(checkJson([Buffer.from(value + ' '.repeat(100))]).depth).toBe(2);
});

function apply(text: string, { at, removed, added }: { at: number; removed: number; added: string }): string {
  const place = at % text.length;
  return text.slice(0, place) + added + text.slice(place + removed);
}

function outcome(run: Machine, bytes: Buffer) {
  run.begin();
  const state = run.feed(STATES.value, bytes, 0, bytes.length);
  const isValue = run.isClosed() && FINAL_STATES.has(state);
  return { state, hasLoneSurrogates: run.hasLoneSurrogates(), deepest: isValue ? run.deepest() : undefined };
}

function expectedDepth(text: string): number {
  try {
    return depthOf(JSON.parse(text));
  } catch {
    return INVALID;
  }
}

function depthOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(depthOf));
}

function cut(text: string, size: number): Buffer[] {
  const bytes = Buffer.from(text);
  return Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
    bytes.subarray(index * size, (index + 1) * size),
  );
}
