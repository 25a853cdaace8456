import { expect, test } from 'vitest';
import { plainNames, prefixedNames } from './naming-scheme.ts';

test('prefixes tools and prompts with the server id, unless names stay plain', () => {
  for (const kind of ['tools', 'prompts'] as const) {
    expect(prefixedNames(kind, 'one', ['read'], 64)).toEqual(new Map([['read', { name: 'one__read' }]]));
    expect(plainNames(kind, 'one', ['read', 'switchboard://status'], 64)).toEqual(new Map());
  }
});

test('never rewrites URIs, except those reserved for the gateway', () => {
  const reason = 'URIs that begin with switchboard:// are reserved for the gateway';
  const expected = new Map([
    ['switchboard://status', { name: 'switchboard://one/switchboard%3A%2F%2Fstatus', reason }],
  ]);
  for (const names of [prefixedNames, plainNames]) {
    expect(names('resources', 'one', ['file:///a', 'switchboard://status'], 64)).toEqual(expected);
    expect(names('resourceTemplates', 'one', ['switchboard://{x}'], 64)).toEqual(new Map());
  }
});
