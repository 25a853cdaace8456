import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createGlob } from '../../base/text/glob.ts';
import { createView, EVERYTHING, mayMatchServer, NOTHING, type ViewLimit } from './view.ts';

const limit = ({
  servers,
  allow,
  deny = [],
}: {
  servers?: string[];
  allow?: string[];
  deny?: string[];
}): ViewLimit => ({
  servers,
  tools: { allow, deny },
});

test.each<[string, readonly ViewLimit[], readonly string[]]>([
  ['no limit', [], ['a.read', 'a.write', 'b.read', 'b.write']],
  ['nothing', [NOTHING], []],
  ['servers', [limit({ servers: ['a', 'gone'] })], ['a.read', 'a.write']],
  ['no servers', [limit({ servers: [] })], []],
  ['an empty list of allowed tools', [limit({ allow: [] })], []],
  ['allowed tools', [limit({ allow: ['*.read'] })], ['a.read', 'b.read']],
  ['denied tools', [limit({ deny: ['b.*'] })], ['a.read', 'a.write']],
  ['deny before allow', [limit({ allow: ['a.*'], deny: ['*.write'] })], ['a.read']],
  ['servers before allow', [limit({ servers: ['b'], allow: ['*.read'] })], ['b.read']],
  ['two limits', [limit({ servers: ['a'] }), limit({ allow: ['*.read'] })], ['a.read']],
  ['two limits without anything in common', [limit({ servers: ['a'] }), limit({ servers: ['b'] })], []],
])('%s', (_, limits, shown) => {
  const view = createView(limits);
  const all = ['a', 'b'].flatMap((id) => ['read', 'write'].map((tool) => [id, tool] as const));
  expect(all.filter(([id, tool]) => view.showsTool(id, tool)).map((names) => names.join('.'))).toEqual(shown);
});

test('without servers, the patterns of allow decide which servers are visible', () => {
  const view = createView([limit({ allow: ['github.get_*', 'git*.status', 'x'] })]);
  expect(['github', 'gitlab', 'files', 'x'].filter(view.showsServer)).toEqual(['github', 'gitlab']);
  expect(['github', 'files'].filter(createView([limit({ deny: ['github.*'] })]).showsServer)).toEqual([
    'github',
    'files',
  ]);
});

test('a view without limits shows everything', () => {
  expect([EVERYTHING.showsServer('a'), EVERYTHING.showsTool('a', 'b')]).toEqual([true, true]);
});

test('a server whose tool a pattern matches may match it', () => {
  const word = fc.string({ unit: fc.constantFrom('a', 'b', '.', '*'), maxLength: 6 });
  fc.assert(
    fc.property(word, word, word, (pattern, id, tool) => {
      if (createGlob(pattern)(`${id}.${tool}`)) expect(mayMatchServer(pattern, id)).toBe(true);
    }),
  );
});
