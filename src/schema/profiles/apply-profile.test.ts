import { describe, expect, test } from 'vitest';
import { type Definition, readDefinition, withKey } from '../definitions/definition.ts';
import { applyProfile } from './apply-profile.ts';
import { PROFILES } from './registry.ts';

function read(json: string, kind: 'tools' | 'prompts' = 'tools'): Definition {
  return readDefinition(kind, Buffer.from(json)) as Definition;
}

describe('returns the same definition object', () => {
  test.each([
    ['with the profile none', 'none', read('{"name":"a","inputSchema":{"type":"object","properties":{"p":{}}}}')],
    [
      'if nothing changes',
      'codex',
      read('{"name":"a","inputSchema":{"type":"object","properties":{"p":{"type":"string"}}}}'),
    ],
    ['if it is not a tool', 'codex', read('{"name":"a"}', 'prompts')],
  ] as const)('%s', (_, profile, definition) => {
    const applied = applyProfile(PROFILES[profile], definition);
    expect(applied.definition).toBe(definition);
    expect(applied.rewrites).toEqual([]);
  });
});

test.each(['codex', 'codex-legacy'] as const)('%s changes the input schema and no other byte', (profile) => {
  const json =
    '{ "x":"inputSchema\\"", "inputSchema" : {"type":"object","properties":{"n":{"type":"integer","minimum":1}}} ,' +
    '"outputSchema":{"type":"object","properties":{"n":{"type":"integer","minimum":1,"minimum":1.0}}},"name":"after"}';
  const { definition } = applyProfile(PROFILES[profile], read(json));
  const schema =
    profile === 'codex'
      ? '{"type":"object","properties":{"n":{"type":"integer","description":"at least 1"}}}'
      : '{"type":"object","properties":{"n":{"type":"number","minimum":1}}}';
  const rewritten = json.replace('{"type":"object","properties":{"n":{"type":"integer","minimum":1}}}', schema);
  expect(definition).toEqual({ ...read(json), json: rewritten, keySpans: read(rewritten).keySpans });
  expect(withKey(definition, 'new')).toBe(rewritten.replace('"after"', '"new"'));
});

describe.each(['codex', 'codex-legacy'] as const)(
  '%s repairs what would make Codex drop the whole server',
  (profile) => {
    const OBJECT = '{"type":"object"}';

    test.each([
      ['a name', '{"name":"a","name":"b","inputSchema":@}', '{"name":"b","inputSchema":@}', ['name']],
      [
        'a schema with an escaped key',
        '{"name":"b","inputSchema":{"type":"object","x":1},"input\\u0053chema":@}',
        '{"name":"b","input\\u0053chema":@}',
        ['inputSchema'],
      ],
      [
        'an annotation',
        '{"annotations":{"readOnlyHint":true,"x":1,"readOnlyHint":false},"name":"b","inputSchema":@}',
        '{"annotations":{"x":1,"readOnlyHint":false},"name":"b","inputSchema":@}',
        ['annotations.readOnlyHint'],
      ],
      [
        'an icon source',
        '{"icons":[{"src":"a"},{"src":"a","src":"b"}],"name":"b","inputSchema":@}',
        '{"icons":[{"src":"a"},{"src":"b"}],"name":"b","inputSchema":@}',
        ['icons.1.src'],
      ],
    ])('%s that occurs twice', (_, before, after, paths) => {
      expectRepaired(before, after, paths);
    });

    test.each([
      [
        'in a title',
        '{"name":"b","title":"\\ud800","inputSchema":@}',
        '{"name":"b","title":"\ufffd","inputSchema":@}',
        ['title'],
      ],
      [
        'in the name of an unknown member',
        '{"\\udfff":[1],"name":"b","inputSchema":@}',
        '{"\ufffd":[1],"name":"b","inputSchema":@}',
        ['\ufffd'],
      ],
      [
        'in a nested value',
        '{"_meta":{"a":["\\ud83d\\ude00","\\ud83d"]},"name":"b","inputSchema":@}',
        '{"_meta":{"a":["\\ud83d\\ude00","\ufffd"]},"name":"b","inputSchema":@}',
        ['_meta.a.1'],
      ],
      [
        'in the input schema, with paths from its root',
        '{"name":"b","inputSchema":{"type":"object","properties":{"a":{"type":"string","description":"\\ud800"}}}}',
        '{"name":"b","inputSchema":{"type":"object","properties":{"a":{"type":"string","description":"\ufffd"}}}}',
        ['properties.a.description'],
      ],
    ])('a lone surrogate %s', (_, before, after, paths) => {
      expectRepaired(before, after, paths);
    });

    test.each([
      [
        'in an output schema',
        '{"outputSchema":{"type":"object","maxProperties":1e400},"name":"b","inputSchema":@}',
        '{"outputSchema":{"type":"object"},"name":"b","inputSchema":@}',
        ['outputSchema.maxProperties'],
      ],
      [
        'in an array',
        '{"x":[-1e999,2],"name":"b","inputSchema":@}',
        '{"x":["-1e999",2],"name":"b","inputSchema":@}',
        ['x.0'],
      ],
      [
        'with four hundred digits',
        `{"name":"b","inputSchema":@,"x":1${'0'.repeat(400)}}`,
        '{"name":"b","inputSchema":@}',
        ['x'],
      ],
    ])('a number outside the double range, %s', (_, before, after, paths) => {
      expectRepaired(before, after, paths);
    });

    function expectRepaired(before: string, after: string, paths: readonly string[]): void {
      const { definition, rewrites } = applyProfile(PROFILES[profile], read(before.replace('@', OBJECT)));
      const expected = read(after.replace('@', OBJECT));
      expect(definition).toEqual({ ...expected, key: 'b' });
      expect(rewrites.map(({ path }) => path)).toEqual(paths);
      expect(applyProfile(PROFILES[profile], definition)).toEqual({ definition, rewrites: [] });
    }
  },
);

test('leaves text that only looks like it unchanged', () => {
  const definition = read(
    '{"name":"a","description":"1e400 \\\\ud800 \\ud83d\\ude00","inputSchema":{"type":"object"},"icons":[{"src":"a"}],"x":1e300}',
  );
  expect(applyProfile(PROFILES.codex, definition).definition).toBe(definition);
});
