import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { catalogKey } from './catalog-key.ts';

const parts = {
  server: { command: 'run', args: ['a', 'b'], env: { TOKEN: 'secret', OTHER: undefined } },
  capabilities: { roots: {}, sampling: { tools: true } },
  protocolVersion: '2025-11-25',
};

describe('the key of a catalog', () => {
  test('is hex digits in which nothing can be read', () => {
    expect(catalogKey(parts)).toMatch(/^[0-9a-f]{64}$/);
  });

  test('does not depend on the order of keys, nor on what is undefined', () => {
    const server = { env: { TOKEN: 'secret' }, cwd: undefined, args: ['a', 'b'], command: 'run' };
    const capabilities = { sampling: { tools: true }, roots: {} };
    expect(catalogKey({ ...parts, server, capabilities })).toBe(catalogKey(parts));
  });

  test.each<[string, Partial<typeof parts> | object]>([
    ['a value', { server: { ...parts.server, env: { TOKEN: 'other' } } }],
    ['an argument', { server: { ...parts.server, args: ['a', 'b', ''] } }],
    ['where arguments part', { server: { ...parts.server, args: ['a,b'] } }],
    ['a capability', { capabilities: { roots: {} } }],
    ['no capabilities at all', { capabilities: undefined }],
    ['the version', { protocolVersion: '2025-06-18' }],
    ['a text for a number', { server: { port: '1' }, capabilities: { port: 1 } }],
  ])('changes with %s', (_, change) => {
    expect(catalogKey({ ...parts, ...change })).not.toBe(catalogKey(parts));
  });

  test('is another for everything that JSON tells apart', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (one, other) => {
        const isSame = JSON.stringify(sorted(one)) === JSON.stringify(sorted(other));
        expect(catalogKey({ ...parts, server: one }) === catalogKey({ ...parts, server: other })).toBe(isSame);
      }),
    );
  });

  test.each<[string, unknown]>([
    ['deep', JSON.parse('['.repeat(100_000) + ']'.repeat(100_000))],
    ['wide', Array.from({ length: 200_000 }, (_, index) => index)],
  ])('can be made of what is %s beyond reason', (_, capabilities) => {
    expect(catalogKey({ ...parts, capabilities })).toMatch(/^[0-9a-f]{64}$/);
  });
});

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).map(([key, inside]) => [key, sorted(inside)] as const);
  return { members: members.sort(([a], [b]) => (a < b ? -1 : 1)) };
}
