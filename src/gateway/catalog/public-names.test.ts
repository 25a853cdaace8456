import fc from 'fast-check';
import { expect, test } from 'vitest';
import { propertyRuns } from '../../../test/property-runs.ts';
import { verifies } from '../../../test/verifies.ts';
import { hash8 } from '../../base/text/names.ts';
import { mayBeNameOf, qualifyNames } from './public-names.ts';

const BUDGET = propertyRuns(500);

const oddName = fc.oneof(
  fc.constantFrom(
    'read',
    'Read',
    're-ad',
    're_ad',
    're ad',
    '_b',
    '__b',
    'a__b',
    'a_',
    '_',
    '',
    '日本',
    'x'.repeat(70),
  ),
  fc.constantFrom('tool_deadbeef', 'tool-DEADBEEF', 'deadbeef', '_deadbeef', '\ud800', '\ud801', '\u200bread'),
  fc.string({ unit: fc.constantFrom('a', 'B', '_', '-', ' ', '7'), maxLength: 6 }),
  fc.string({ unit: 'binary', maxLength: 80 }),
);
const rawNames = fc.uniqueArray(oddName, { maxLength: 12 });
const maxLength = fc.constantFrom(40, 64, 110);

test.each([
  ['a plain tool', 'files', 'read_file', { name: 'files__read_file' }],
  ['a tool that starts with _', 'a', '_b', { name: 'a___b' }],
  ['a tool with __ in it', 'a', 'b__c', { name: 'a__b__c' }],
  ['an id that starts with _', '_a', 'b', { name: '_a__b' }],
  ['a tool that is only a hash', 'a', 'deadbeef', { name: 'a__deadbeef' }],
  [
    'disallowed characters in the tool',
    'a',
    'b c',
    { name: 'a__b_c', reason: 'its own name has characters that are not allowed' },
  ],
  [
    'disallowed characters in the id',
    'a b',
    'c',
    { name: `a_b__c_${hash8('a b', 'c')}`, reason: 'the id of the server has characters that are not allowed' },
  ],
  ['__ in the id', 'a__b', 'c', { name: `a_b__c_${hash8('a__b', 'c')}`, reason: 'the id of the server contains __' }],
  ['_ at the end of the id', 'a_', 'c', { name: `a__c_${hash8('a_', 'c')}`, reason: 'the id of the server ends in _' }],
  ['an id of only _', '_', 'c', { name: `server__c_${hash8('_', 'c')}`, reason: 'the id of the server ends in _' }],
  [
    'a name that is too long',
    'files',
    'x'.repeat(60),
    { name: `files__${'x'.repeat(48)}_${hash8('files', 'x'.repeat(60))}`, reason: 'it would be 3 characters too long' },
  ],
  [
    'a tool that ends like a hashed name',
    'a',
    'read_0123abcd',
    { name: `a__read_0123abcd_${hash8('a', 'read_0123abcd')}`, reason: 'it ends like a name with a hash' },
  ],
  [
    'a tool that ends like a hashed name after folding',
    'a',
    'read-0123ABCD',
    { name: `a__read-0123ABCD_${hash8('a', 'read-0123ABCD')}`, reason: 'it ends like a name with a hash' },
  ],
])('%s', (_, serverId, raw, expected) => {
  expect(qualifyNames({ serverId, rawNames: [raw] })).toEqual(new Map([[raw, expected]]));
});

test('truncates a long id the same for every tool, and leaves room for the tool', () => {
  const serverId = 'i'.repeat(50);
  const names = qualifyNames({ serverId, rawNames: ['one_tool_of_many', 'b'], maxLength: 40 });
  expect([...names.values()].map(({ name }) => name.slice(0, -9))).toEqual([
    `${'i'.repeat(19)}__b`,
    `${'i'.repeat(19)}__one_tool_o`,
  ]);
});

test('adds the hash to all conflicting names, and names them in the reason', () => {
  const names = qualifyNames({ serverId: 's', rawNames: ['a-b', 'A_b', 'a b', 'a.b', 'c'] });
  const reason = 'a-b, A_b, a b and 1 more would have the same name';
  expect(names).toEqual(
    new Map([
      ['c', { name: 's__c' }],
      ['a b', { name: `s__a_b_${hash8('s', 'a b')}`, reason }],
      ['a-b', { name: `s__a-b_${hash8('s', 'a-b')}`, reason }],
      ['a.b', { name: `s__a_b_${hash8('s', 'a.b')}`, reason }],
      ['A_b', { name: `s__A_b_${hash8('s', 'A_b')}`, reason }],
    ]),
  );
});

test('a tool named like the hashed name of another does not get that name', () => {
  const long = 'x'.repeat(80);
  const hashed = qualifyNames({ serverId: 'a', rawNames: [long] }).get(long)?.name ?? '';
  const names = qualifyNames({ serverId: 'a', rawNames: [hashed.slice('a__'.length), long] });
  expect(names.get(long)?.name).toBe(hashed);
  expect(new Set([...names.values()].map(({ name }) => name)).size).toBe(2);
});

test('a server named like another cannot take its names', () => {
  const hashed = qualifyNames({ serverId: 'a b', rawNames: ['read'] }).get('read')?.name ?? '';
  const thief = hashed.slice('a_b__'.length);
  expect(qualifyNames({ serverId: 'a_b', rawNames: [thief] }).get(thief)?.name).not.toBe(hashed);
});

test('distinguishes two long names with the same prefix and the same hash, in any order', () => {
  // Found by brute force: the sha256 of both begins with 1d18199e.
  const raws = ['59600', '83011'].map((end) => 't'.repeat(60) + end);
  const names = namesOf('s', raws, 64);
  expect(names.get(raws[0] ?? '')).toBe(`s__${'t'.repeat(52)}_1d18199e`);
  expect(new Set(names.values()).size).toBe(2);
  expect(namesOf('s', raws.toReversed(), 64)).toEqual(names);
});

verifies(
  ['gateway:names:clean', 'gateway:names:unique', 'gateway:names:split'],
  'every name is unique after folding, has allowed characters and length, and splits at its first __',
  () => {
    fc.assert(
      fc.property(oddName, rawNames, maxLength, (serverId, raws, max) => {
        const names = qualifyNames({ serverId, rawNames: raws, maxLength: max });
        expect([...names.keys()].sort()).toEqual([...raws].sort());
        const folded = new Set<string>();
        const ids = new Set<string>();
        for (const { name } of names.values()) {
          expect(name).toMatch(/^[A-Za-z0-9_-]+$/);
          expect(name.length).toBeLessThanOrEqual(max);
          folded.add(name.replaceAll('-', '_').toLowerCase());
          ids.add(name.slice(0, name.indexOf('__')));
        }
        expect(folded.size).toBe(raws.length);
        // The complete id, or its truncated form.
        for (const id of ids) expect(id).toMatch(/^(?!.*__).*[^_]$/);
        for (const id of ids) if (id !== serverId) expect(namesHashed(names, id)).toBe(true);
      }),
      BUDGET,
    );
  },
);

verifies('gateway:names:independent', 'names do not depend on the order in which a server lists its tools', () => {
  fc.assert(
    fc.property(oddName, rawNames, maxLength, fc.nat(), (serverId, raws, max, turn) => {
      const turned = [...raws.slice(turn % (raws.length + 1)), ...raws.slice(0, turn % (raws.length + 1))].reverse();
      expect(namesOf(serverId, turned, max)).toEqual(namesOf(serverId, raws, max));
    }),
    BUDGET,
  );
});

test('an additional tool changes only names it conflicts with', () => {
  fc.assert(
    fc.property(oddName, rawNames, oddName, maxLength, (serverId, raws, more, max) => {
      const before = namesOf(serverId, raws, max);
      const after = namesOf(serverId, [...raws, more], max);
      const alike = (raw: string) => cleanFold(raw) === cleanFold(more);
      for (const raw of raws) if (!alike(raw)) expect(after.get(raw)).toBe(before.get(raw));
    }),
    BUDGET,
  );
});

test('two servers never share a name', () => {
  fc.assert(
    fc.property(oddName, oddName, rawNames, rawNames, (one, other, raws, otherRaws) => {
      fc.pre(one !== other);
      const names = new Set(namesOf(one, raws, 64).values());
      expect([...namesOf(other, otherRaws, 64).values()].filter((name) => names.has(name))).toEqual([]);
    }),
    BUDGET,
  );
});

function namesOf(serverId: string, raws: readonly string[], max: number): Map<string, string> {
  const names = qualifyNames({ serverId, rawNames: raws, maxLength: max });
  return new Map([...names].map(([raw, { name }]) => [raw, name]));
}

function namesHashed(names: ReadonlyMap<string, { readonly name: string }>, id: string): boolean {
  const own = [...names.values()].filter(({ name }) => name.startsWith(`${id}__`));
  return own.every(({ name }) => /._[0-9a-f]{8}$/.test(name.slice(id.length + 2)));
}

function cleanFold(raw: string): string {
  const plain = qualifyNames({ serverId: 's', rawNames: [raw] }).get(raw)?.name ?? '';
  return plain
    .replace(/_[0-9a-f]{8}$/, '')
    .replaceAll('-', '_')
    .toLowerCase();
}

test('every public name matches its own server id and no other', () => {
  const ids = ['one', 'a__b', 'c_', 'my server', `${'long-'.repeat(12)}id`, '日本'];
  for (const serverId of ids) {
    const names = qualifyNames({ serverId, rawNames: ['read', 'n'.repeat(100), 'größe', 'x__y'] });
    for (const { name } of names.values()) {
      expect(ids.filter((id) => mayBeNameOf(id, name))).toEqual([serverId]);
    }
  }
});
