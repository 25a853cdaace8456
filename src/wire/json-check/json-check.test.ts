import { isUtf8 } from 'node:buffer';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { propertyRuns } from '../../../test/property-runs.ts';
import { wellFormedJson } from '../json/well-formed-json.ts';
import {
  checkJson,
  createScriptMachine,
  createWasmMachine,
  findMemberPositions,
  INVALID,
  MAX_DEPTH,
  type Machine,
} from './json-check.ts';
import { FINAL_STATES, STATES } from './states.ts';

const BUDGET = propertyRuns(500);

const token = fc.oneof(
  fc.constantFrom('{', '}', '[', ']', ',', ':', ' ', '\t', '"a"', '"a":', '"\\u00e9"', '"\\u00g9"', '"\\x"', '"\\"'),
  fc.constantFrom('0', '-', '-1', '01', '1.', '.5', '1.5', '1e5', '1e', '1E+5', '1e-', 'true', 'tru', 'null', 'NaN'),
  fc.constantFrom('"\u0001"', '"é"', '"', '\\', 'Infinity', 'falsee', '+1', "'a'", '//', '"a\\n\\"b"', '\u00a0'),
  fc.constantFrom('"\\ud83d"', '"\\ud83d\\ude00"', '"\\udc00', '\\ude00', '\\ud9', 'ab"', '\\uD8'),
  fc.string().map((text) => JSON.stringify(text)),
);
const text = fc.oneof(
  fc.array(token, { maxLength: 8 }).map((tokens) => tokens.join('')),
  fc.json(),
  fc.tuple(fc.json(), fc.nat(), fc.string({ minLength: 1, maxLength: 1 })).map(([json, at, character]) => {
    const place = at % json.length;
    return json.slice(0, place) + character + json.slice(place + 1);
  }),
);

test('accepts exactly what JSON.parse accepts on one line, and returns the depth', () => {
  fc.assert(
    fc.property(text, fc.integer({ min: 1, max: 40 }), (json, size) => {
      fc.pre(!/[\r\n]/.test(json));
      expect(checkJson(cut(json, size), 0, Buffer.byteLength(json)).depth).toBe(expectedDepth(json));
    }),
    BUDGET,
  );
});

test('detects lone surrogates in keys and strings, but not pairs', () => {
  const part = fc.constantFrom('\\ud83d', '\\uDE00', '\\udbFF', '\\ud7ff', '\\ue000', '\\\\', '\\n', 'ud83d', 'é', '');
  const string = fc.array(part, { maxLength: 6 }).map((parts) => `"${parts.join('')}"`);
  const json = fc.array(fc.tuple(string, string), { maxLength: 3 }).map((pairs) => {
    const members = pairs.map(([key, value], index) => `${key.slice(0, -1)}${index}":[${value}]`);
    return `{${members.join(',')}}`;
  });
  fc.assert(
    fc.property(json, fc.integer({ min: 1, max: 40 }), (text, size) => {
      const strings = Object.entries(JSON.parse(text)).flat(2).map(String);
      const hasLoneSurrogates = strings.some((value) => Buffer.from(value).toString() !== value);
      expect(checkJson(cut(text, size)).hasLoneSurrogates).toBe(hasLoneSurrogates);
      expect(wellFormedJson(text) !== text).toBe(hasLoneSurrogates);
    }),
    BUDGET,
  );
  expect(checkJson([Buffer.from('"\\ud83d\\ude00"')]).hasLoneSurrogates).toBe(false);
});

test('WebAssembly and JavaScript agree on any bytes', () => {
  const [fast, plain] = [createWasmMachine(), createScriptMachine()];
  const bytes = fc.oneof(
    fc.uint8Array({ maxLength: 100 }),
    fc.array(token, { maxLength: 60 }).map((tokens) => Buffer.from(tokens.join(''))),
  );
  fc.assert(
    fc.property(bytes, (values) => {
      expect(outcome(fast, Buffer.from(values))).toEqual(outcome(plain, Buffer.from(values)));
    }),
    BUDGET,
  );
});

test('checks a string to its last byte', () => {
  for (let length = 0; length < 70; length++) {
    for (const bad of ['\u0000', '\u001f', '\\a', '\\u123', '"']) {
      const json = JSON.stringify({ key: 'x'.repeat(length) }).replace('"}', () => `${bad}"}`);
      expect(checkJson([Buffer.from(json)], 0, json.length).depth).toBe(INVALID);
    }
  }
});

test('checks a long value completely in pieces larger than its window', () => {
  const long = JSON.stringify({ rows: Array.from({ length: 60_000 }, (_, id) => ({ id, name: `é "${id}"` })) });
  const bytes = Buffer.from(long);
  expect(checkJson([bytes], 0, bytes.length).depth).toBe(3);
  expect(checkJson([bytes, Buffer.from('}')], 0, bytes.length + 1).depth).toBe(INVALID);
  bytes[1_000_000] = 1;
  expect(checkJson([bytes], 0, bytes.length).depth).toBe(INVALID);
});

test('checks only the bytes of the given range', () => {
  const frame = cut('xx[[1]]yy', 3);
  expect(checkJson(frame, 2, 7).depth).toBe(2);
  expect(checkJson(frame, 2, 8).depth).toBe(INVALID);
  expect(checkJson(frame, 3, 6).depth).toBe(1);
  expect(checkJson(frame, 4, 5).depth).toBe(0);
  expect(checkJson(frame, 4, 4).depth).toBe(INVALID);
});

test('returns the positions of the commas and braces of the object itself', () => {
  const json = 'xx{"a":[1,{"x":[2]}], "b:" : {"c":"{,}","d":{"e":1}}}yy';
  const outline = findMemberPositions(Buffer.from(json), 2, json.length - 2);
  const places = [...(outline?.positions.subarray(0, outline.count) ?? [])];
  expect(places.map((place) => `${place}${json[place]}`)).toEqual(['2{', '20,', '52}']);
});

test('returns no positions for invalid JSON, or for too many members', () => {
  const outlineOf = (json: string) => findMemberPositions(Buffer.from(json), 0, json.length);
  const list = (length: number) => JSON.stringify(Array(length).fill(0));
  expect(outlineOf(list(63))?.count).toBe(64);
  expect(outlineOf(list(64))).toBeUndefined();
  expect(outlineOf(list(10_000))).toBeUndefined();
  expect(outlineOf(`[${list(10_000)}]`)?.count).toBe(2);
  for (const json of ['', '{', '{}}', '[1,]', '{}\n', '['.repeat(20_000) + ']'.repeat(20_000)])
    expect(outlineOf(json)).toBeUndefined();
});

test('returns the depth up to the limit, and beyond it only that it is exceeded', () => {
  for (const [make, label] of [
    [(depth: number) => '['.repeat(depth) + ']'.repeat(depth), 'arrays'],
    [(depth: number) => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`, 'objects'],
  ] as const) {
    const depthOf = (depth: number) => checkJson([Buffer.from(make(depth))]).depth;
    expect([label, depthOf(126), depthOf(MAX_DEPTH)]).toEqual([label, 126, MAX_DEPTH]);
    expect([label, depthOf(MAX_DEPTH + 1), depthOf(200_000)]).toEqual([label, MAX_DEPTH + 1, MAX_DEPTH + 1]);
  }
  // A check that stopped early does not affect the next one.
  expect(checkJson([Buffer.from('[]')], 0, 2).depth).toBe(1);
});

function outcome(run: Machine, bytes: Buffer) {
  run.begin();
  const state = run.feed(STATES.value, bytes, 0, bytes.length);
  run.begin();
  expect(run.record(STATES.value, bytes, 0, bytes.length)).toBe(state);
  const isValue = run.isClosed() && FINAL_STATES.has(state);
  const hasLoneSurrogates = run.hasLoneSurrogates();
  if (!isValue) return { state, hasLoneSurrogates };
  const places = [...run.positions.subarray(0, run.count())];
  return { state, hasLoneSurrogates, deepest: run.deepest(), count: run.count(), places };
}

function expectedDepth(json: string): number {
  if (!isUtf8(Buffer.from(json))) return INVALID;
  try {
    return depthOf(JSON.parse(json));
  } catch {
    return INVALID;
  }
}

function depthOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(depthOf));
}

function cut(json: string, size: number): Buffer[] {
  const bytes = Buffer.from(json);
  return Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
    bytes.subarray(index * size, (index + 1) * size),
  );
}
