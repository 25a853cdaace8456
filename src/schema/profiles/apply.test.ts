import { describe, expect, test } from 'vitest';
import { type Definition, readDefinition, withKey } from '../definition.ts';
import { PROFILES } from './all.ts';
import { applyProfile } from './apply.ts';

function read(json: string, kind: 'tools' | 'prompts' = 'tools'): Definition {
  return readDefinition(kind, Buffer.from(json)) as Definition;
}

describe('a definition is the same object', () => {
  test.each([
    ['under none', 'none', read('{"name":"a","inputSchema":{"type":"object","properties":{"p":{}}}}')],
    [
      'when nothing changes',
      'codex',
      read('{"name":"a","inputSchema":{"type":"object","properties":{"p":{"type":"string"}}}}'),
    ],
    ['when it is no tool', 'codex', read('{"name":"a"}', 'prompts')],
  ] as const)('%s', (_, profile, definition) => {
    const applied = applyProfile(PROFILES[profile], definition);
    expect(applied.definition).toBe(definition);
    expect(applied.rewrites).toEqual([]);
  });
});

test.each(['codex', 'codex-legacy'] as const)('%s changes the input schema, and every other byte stays', (profile) => {
  const json =
    '{ "x":"inputSchema\\"", "name" :"before", "inputSchema" : {"type":"object","properties":{"n":{"type":"integer","minimum":1}}} ,' +
    '"outputSchema":{"type":"object","properties":{"n":{"type":"integer","minimum":1}}},"big":1e400,"name":"after"}';
  const { definition } = applyProfile(PROFILES[profile], read(json));
  const schema =
    profile === 'codex'
      ? '{"type":"object","properties":{"n":{"type":"integer","description":"at least 1"}}}'
      : '{"type":"object","properties":{"n":{"type":"number","minimum":1}}}';
  const rewritten = json.replace('{"type":"object","properties":{"n":{"type":"integer","minimum":1}}}', schema);
  expect(definition).toEqual({ ...read(json), json: rewritten, keyAt: read(rewritten).keyAt });
  expect(withKey(definition, 'new')).toBe(rewritten.replace('"before"', '"new"').replace('"after"', '"new"'));
});

test('a schema that is written twice, or with escapes in its name, is rewritten wherever it stands', () => {
  const json =
    '{"name":"a","inputSchema":{"type":"object"},"input\\u0053chema":{"type":"object","properties":{"p":true}}}';
  const { definition, rewrites } = applyProfile(PROFILES['codex-legacy'], read(json));
  const schema = '{"type":"object","properties":{"p":{"type":"string"}}}';
  expect(definition.json).toBe(`{"name":"a","inputSchema":${schema},"input\\u0053chema":${schema}}`);
  expect(rewrites.map(({ path }) => path)).toEqual(['properties.p']);
});
