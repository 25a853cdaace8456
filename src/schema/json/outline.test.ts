import fc from 'fast-check';
import { expect, test } from 'vitest';
import { propertyRuns } from '../../../test/property-runs.ts';
import { MAX_BRANCHES, MAX_BYTES, MAX_DEPTH, Outline } from './outline.ts';

const BUDGET = propertyRuns(500);

test('finds every value at its position, with any whitespace', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.constantFrom(undefined, '\t', ' \r\n'), fc.string(), (value, space, before) => {
      const start = Buffer.byteLength(before);
      const bytes = Buffer.from(`${before}${JSON.stringify(value, null, space)},`);
      const outline = new Outline(bytes);
      expect(outline.read(start)).toBe(bytes.length - 1);
      expect(outline.limitExceeded).toBeUndefined();
      expect(rebuild(outline, 0)).toEqual(JSON.parse(JSON.stringify(value)));
    }),
    BUDGET,
  );
});

test('reads one value after another', () => {
  const bytes = Buffer.from('{"a":[1,{"b":2}],"c":3} "x" []');
  const outline = new Outline(bytes);
  expect(outline.read(0)).toBe(23);
  expect(rebuild(outline, 0)).toEqual({ a: [1, { b: 2 }], c: 3 });
  expect(outline.read(24)).toBe(27);
  expect(rebuild(outline, 0)).toBe('x');
  expect(outline.read(28)).toBe(30);
  expect(rebuild(outline, 0)).toEqual([]);
});

test('finds a member by name, also an escaped one, and the last of two', () => {
  const outline = outlineOf('{"name":1,"names":2,"nam":3,"n\\u0061me":4,"NAME":5,"x":{"name":6}}');
  expect(outline.value(outline.find(0, 'name') ?? 0)).toBe(4);
  expect(outline.findAll(0, 'name').map((node) => outline.value(node))).toEqual([1, 4]);
  expect(outline.findIgnoringCase(0, 'name').map((node) => outline.value(node))).toEqual([1, 4, 5]);
  expect(outline.find(0, 'other')).toBeUndefined();
});

test('ignores case in names, escaped or not', () => {
  const outline = outlineOf('{"Uri":1,"u\\u0052I":2,"url":3,"ur":4,"uri ":5,"urı":6}');
  expect(outline.findIgnoringCase(0, 'uri').map((node) => outline.value(node))).toEqual([1, 2, 6]);
});

test.each([
  ['depth', '['.repeat(MAX_DEPTH + 1) + ']'.repeat(MAX_DEPTH + 1), 'is nested more than 118 levels deep'],
  ['ten thousand levels', '{"a":'.repeat(10_000) + 1 + '}'.repeat(10_000), 'is nested more than 118 levels deep'],
  ['branches', `[${'{},'.repeat(MAX_BRANCHES - 1)}{}]`, 'has more than 10000 objects and lists in it'],
  ['bytes', JSON.stringify('x'.repeat(MAX_BYTES)), 'is larger than 1 MiB'],
  ['bytes in small values', `[${'1,'.repeat(MAX_BYTES)}1]`, 'is larger than 1 MiB'],
  ['truncated JSON', '{"a":[1,2', 'is truncated'],
])('exceeds a limit: %s', (_, json, excess) => {
  const outline = new Outline(Buffer.from(json));
  expect(outline.read(0)).toBe(json.length);
  expect(outline.limitExceeded).toBe(excess);
});

test.each([
  ['depth', '['.repeat(MAX_DEPTH) + ']'.repeat(MAX_DEPTH)],
  ['branches', `[${'{},'.repeat(MAX_BRANCHES - 2)}{}]`],
  ['bytes', JSON.stringify('x'.repeat(MAX_BYTES - 2))],
])('is just within a limit: %s', (_, json) => {
  expect(outlineOf(json).limitExceeded).toBeUndefined();
});

test('can still read the start of a value over the limit', () => {
  const outline = outlineOf(`{"name":"bomb","schema":{"x":${'['.repeat(200)}`);
  expect(outline.value(outline.find(0, 'name') ?? 0)).toBe('bomb');
});

test('terminates on invalid JSON', () => {
  const token = fc.constantFrom('{', '}', '[', ']', ',', ':', '"', '\\', 'a', '1', ' ', '"a"', '"a":', '\u0000', 'é');
  fc.assert(
    fc.property(
      fc.array(token).map((parts) => parts.join('')),
      (text) => {
        const outline = new Outline(Buffer.from(text));
        const end = outline.read(0);
        expect(end).toBeLessThanOrEqual(Buffer.byteLength(text));
        if (end > 0) visit(outline, 0);
      },
    ),
    BUDGET,
  );
});

function outlineOf(json: string): Outline {
  const outline = new Outline(Buffer.from(json));
  outline.read(0);
  return outline;
}

function rebuild(outline: Outline, node: number): unknown {
  if (outline.isList(node)) return outline.children(node).map((inside) => rebuild(outline, inside));
  if (!outline.isObject(node)) return outline.value(node);
  const entries = outline.children(node).map((inside) => [outline.key(inside), rebuild(outline, inside)]);
  return JSON.parse(`{${entries.map(([key, value]) => `${JSON.stringify(key)}:${JSON.stringify(value)}`).join(',')}}`);
}

function visit(outline: Outline, node: number): void {
  for (const inside of outline.children(node)) {
    outline.key(inside);
    outline.value(inside);
    visit(outline, inside);
  }
}
