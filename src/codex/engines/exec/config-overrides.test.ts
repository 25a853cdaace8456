import fc from 'fast-check';
import { parse } from 'smol-toml';
import { expect, test } from 'vitest';
import { propertyRuns } from '../../../../test/property-runs.ts';
import { toOverrides } from './config-overrides.ts';

test.each<[Readonly<Record<string, unknown>>, readonly string[]]>([
  [{}, []],
  [{ a: undefined, b: null }, []],
  [{ a: { b: { c: true } }, d: 1.5 }, ['a.b.c=true', 'd=1.5']],
  [{ a: 'say "hi"\n\u007f' }, [String.raw`a="say \"hi\"\n\u007f"`]],
  [{ a: [1, 'x', [false], { k: 2 }] }, ['a=[1, "x", [false], {k = 2}]']],
  [{ projects: { '/a.b': { trust_level: 'trusted' } } }, ['projects={"/a.b" = {trust_level = "trusted"}}']],
  [{ mcp_servers: { s: { env: {}, args: [] } } }, ['mcp_servers.s.env={}', 'mcp_servers.s.args=[]']],
  [{ a: Number.NaN, b: -Infinity }, ['a=nan', 'b=-inf']],
])('case %#', (config, overrides) => {
  expect(toOverrides(config)).toEqual(overrides);
});

test('writes overrides that a TOML parser reads back', () => {
  const key = fc.oneof(fc.constantFrom('a', 'b-c', 'D_1'), fc.string({ unit: 'grapheme', minLength: 1, maxLength: 4 }));
  const safeKey = key.filter((name) => name !== '__proto__');
  const leaf = fc.oneof(fc.string({ unit: 'binary' }), fc.boolean(), fc.integer(), fc.constant(0.5));
  const { tree } = fc.letrec<{ tree: unknown; table: object }>((tie) => ({
    table: fc.dictionary(safeKey, tie('tree'), { maxKeys: 3, noNullPrototype: true }),
    tree: fc.oneof({ maxDepth: 3 }, leaf, fc.array(leaf, { maxLength: 3 }), tie('table')),
  }));
  fc.assert(
    fc.property(tree, (value) => {
      expect(parse(toOverrides({ top: value }).join('\n'))).toEqual({ top: value });
    }),
    propertyRuns(500),
  );
});
