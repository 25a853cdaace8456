import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readDefinition } from '../../src/schema/definitions/definition.ts';
import { applyProfile } from '../../src/schema/profiles/apply-profile.ts';
import { PROFILES } from '../../src/schema/profiles/registry.ts';
import { propertyRuns } from '../property-runs.ts';

const BUDGET = propertyRuns(300);

/** JSON as text, because a parsed value cannot have duplicate names, and few serializers would write the rest. */
const word = fc.constantFrom(
  'a',
  'é',
  '\\ud83d\\ude00',
  '\\ud800',
  '\\uDC00\\ud83d',
  '\\\\ud800',
  '\\\\\\udfff',
  '1e400',
);
const { value } = fc.letrec<{ value: string }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    word.map((text) => `"${text}"`),
    fc.constantFrom('1', 'true', 'null', '1e400', '-1e999', '1e308', '9007199254740993', `1${'0'.repeat(400)}`),
    fc.array(tie('value'), { maxLength: 3 }).map((values) => `[${values.join(',')}]`),
    fc.array(fc.tuple(word, tie('value')), { maxLength: 3 }).map(toObject),
    fc.array(tie('value'), { maxLength: 2 }).map((values) => `{"properties":{"a":{"enum":[${values.join(', ')}]}}}`),
  ),
}));
const member = fc.constantFrom(
  'name',
  'title',
  'description',
  'inputSchema',
  'outputSchema',
  'annotations',
  'icons',
  'x',
);
const hints = fc
  .array(fc.tuple(fc.constantFrom('readOnlyHint', 'title', 'x'), fc.constantFrom('true', '"a"', '"\\ud800"')))
  .map(toObject);
const tool = fc
  .tuple(fc.array(fc.tuple(member, fc.oneof(value, hints)), { maxLength: 8 }), value)
  .map(([members, schema]) => toObject([...members, ['name', '"tool"'], ['inputSchema', schema]]));

function toObject(members: readonly (readonly [string, string])[]): string {
  return `{${members.map(([name, json]) => `"${name}":${json}`).join(', ')}}`;
}

describe.each(['codex', 'codex-legacy'] as const)('a tool under the profile %s', (profile) => {
  test('contains nothing that makes Codex drop the whole list, and reports the rewrites', () => {
    fc.assert(
      fc.property(tool, (json) => {
        const read = readDefinition('tools', Buffer.from(json));
        if (read.kind === 'quarantined') return;
        const { definition, rewrites } = applyProfile(PROFILES[profile], read);
        expect(strictFaults(definition.json)).toEqual([]);
        expect(rewrites.length === 0).toBe(definition === read);
        expect(definition.keySpans.map(({ start, end }) => definition.json.slice(start, end))).toEqual(['"tool"']);
        expect(applyProfile(PROFILES[profile], definition).definition).toBe(definition);
      }),
      BUDGET,
    );
  });
});

/** The members that a strict reader would reject. */
function strictFaults(json: string): unknown[] {
  const faults: unknown[] = [];
  JSON.parse(json, (key, found) => {
    if (typeof found === 'number' && !Number.isFinite(found)) faults.push(found);
    for (const text of [key, found]) if (typeof text === 'string' && !isWhole(text)) faults.push(text);
    return found;
  });
  const names = Object.keys(JSON.parse(json));
  return [...faults, ...(names.length === countMembers(json) ? [] : [`a name twice in ${json}`])];
}

function isWhole(text: string): boolean {
  return Buffer.from(text).toString() === text;
}

/** The members of the outermost object, including duplicates. */
function countMembers(json: string): number {
  let depth = 0;
  let count = 0;
  for (const [token] of json.matchAll(/"(?:\\.|[^"\\])*"(?:\s*:)?|[{}[\]]/g)) {
    if (token === '{' || token === '[') depth++;
    else if (token === '}' || token === ']') depth--;
    else if (depth === 1 && token.endsWith(':')) count++;
  }
  return count;
}
