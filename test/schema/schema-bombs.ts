import { expect } from 'vitest';
import type { Profile } from '../../src/schema/profiles/profile.ts';

const LEVELS = 10_000;

/** Schemas of which each could exhaust the time, memory or stack of a reader. `members` is the length of their lists. */
export function schemaBombs(members: number): readonly (readonly [string, string])[] {
  const shared = members / 100;
  return [
    ['a long description', `{"type":"object","description":"${'x'.repeat(members * 100)}"}`],
    ['many values', `{"type":"object","properties":{"a":{"enum":[${listed(String, members * 12)}]}}}`],
    ['many levels of properties', `{"type":"object","properties":${nested('{"a":{"properties":', '}}')}}`],
    ['many levels of items', `{"type":"object","items":${nested('{"items":', '}')}}`],
    ['many levels of anyOf', `{"type":"object","anyOf":[${nested('{"anyOf":[', ']}')}]}`],
    ['many levels of a default', `{"type":"object","properties":{"a":{"default":${nestedArray()}}}}`],
    ['many levels of a value', `{"type":"object","properties":{"a":{"enum":[${nestedArray()}]}}}`],
    ['many branches', `{"type":"object","properties":{"a":{"anyOf":[${listed(() => '{}', members)}]}}}`],
    ['many branches at the top', `{"anyOf":[${listed((index) => `{"properties":{"p${index}":{}}}`, members)}]}`],
    ['many properties', `{"properties":{${listed((index) => `"p${index}":{}`, members)}}}`],
    ['many required names', `{"required":[${listed((index) => `"p${index}"`, members)}]}`],
    [
      'many patterns',
      `{"additionalProperties":false,"patternProperties":{${listed((index) => `"p${index}":{}`, members)}}}`,
    ],
    ['many members of a tuple', `{"properties":{"a":{"items":[${listed((index) => `{"const":${index}}`, members)}]}}}`],
    [
      'many parts that share many properties',
      `{"allOf":[${listed(() => '{"$ref":"#/$defs/a"}', shared)}],"$defs":{"a":{"properties":{${listed((index) => `"p${index}":{}`, shared)}}}}}`,
    ],
    [
      'references that double',
      `{"$ref":"#/$defs/a0","$defs":{${listed((index) => `"a${index}":{"anyOf":[{"$ref":"#/$defs/a${index + 1}"},{"$ref":"#/$defs/a${index + 1}"}]}`, 1000)}}}`,
    ],
    [
      'references in a circle',
      '{"$ref":"#/$defs/a","$defs":{"a":{"allOf":[{"$ref":"#/$defs/b"}]},"b":{"allOf":[{"$ref":"#/$defs/a"}]}}}',
    ],
    ['the top as a part of itself', '{"allOf":[{"$ref":"#"}],"anyOf":[{"$ref":"#"}],"properties":{"a":{"$ref":"#"}}}'],
    [
      'a pattern that explodes',
      '{"properties":{"a":{"pattern":"^(a+)+$","default":"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab"}}}',
    ],
    [
      'names of 10 kB',
      `{"properties":{${listed((index) => `"${index}${'n'.repeat(10_000)}":{}`, 10)}},"required":["${'m'.repeat(10_000)}"]}`,
    ],
  ];
}

/** Also checks the size of the result, and that a second rewrite changes nothing. */
export function expectToTerminate(name: string, profile: Profile, schema: string): void {
  const isNone = name === 'none';
  const { text, rewrites } = profile.rewrite(schema);
  expect(text.length).toBeLessThanOrEqual(Math.max(schema.length * 7, 5000));
  expect(rewrites.length).toBeLessThanOrEqual(isNone ? 0 : 101);
  if (!isNone) expect(profile.rewrite(text)).toMatchObject({ text, rewrites: [] });
  if (name === 'codex') expect(Buffer.byteLength(text)).toBeLessThan(50_000);
}

function listed(one: (index: number) => string, count: number): string {
  return Array.from({ length: count }, (_, index) => one(index)).join(',');
}

function nested(before: string, after: string): string {
  return `${before.repeat(LEVELS)}{}${after.repeat(LEVELS)}`;
}

function nestedArray(): string {
  return `${'['.repeat(LEVELS)}${']'.repeat(LEVELS)}`;
}
