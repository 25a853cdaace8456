import fc from 'fast-check';
import { expect, test } from 'vitest';
import { propertyRuns } from '../../../test/property-runs.ts';
import { splitPublicUri, toPublicUri } from './server-uri.ts';

test.each([
  ['ui://app/view.html', 'ui://one/app/view.html'],
  ['ui://{name}/view', 'ui://one/{name}/view'],
  ['ui:///view', 'ui://one//view'],
  ['ui://', 'ui://one/'],
  ['skill://acme/refunds/SKILL.md', 'skill://one/acme/refunds/SKILL.md'],
])('%s is listed as %s', (uri, expected) => {
  expect(toPublicUri('one', uri)).toBe(expected);
  expect(splitPublicUri(expected)).toEqual({ serverId: 'one', uri });
});

test.each(['test://ui://x', 'file:///ui', 'ui:x', 'UI://x', 'https://ui/', ''])('%j stays as it is', (uri) => {
  expect(toPublicUri('one', uri)).toBe(uri);
  expect(splitPublicUri(uri)).toBeUndefined();
});

test.each(['ui://one', 'ui://%zz/x'])('%s carries no id', (uri) => {
  expect(splitPublicUri(uri)).toBeUndefined();
});

test('the id and the URI can be restored, whatever they contain, so no two servers share a URI', () => {
  const scheme = fc.constantFrom('ui://', 'skill://');
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), scheme, fc.string({ unit: 'grapheme' }), (serverId, prefix, rest) => {
      const uri = `${prefix}${rest}`;
      expect(splitPublicUri(toPublicUri(serverId, uri))).toEqual({ serverId, uri });
    }),
    propertyRuns(300),
  );
});
