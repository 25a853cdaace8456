import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { catalogKey } from './catalog-key.ts';

const parts = {
  server: { command: 'run', args: ['a', 'b'], env: { TOKEN: 'secret', OTHER: undefined } },
  capabilities: { roots: {}, sampling: { tools: true } },
  protocolVersion: '2025-11-25',
};

describe('the catalog key', () => {
  test('is hex digits that reveal nothing', () => {
    expect(catalogKey(parts)).toMatch(/^[0-9a-f]{64}$/);
  });

  test('does not depend on the order of keys, or on undefined values', () => {
    const server = { env: { TOKEN: 'secret' }, cwd: undefined, args: ['a', 'b'], command: 'run' };
    const capabilities = { sampling: { tools: true }, roots: {} };
    expect(catalogKey({ ...parts, server, capabilities })).toBe(catalogKey(parts));
  });

  test.each<[string, Partial<typeof parts> | object]>([
    ['an environment value', { server: { ...parts.server, env: { TOKEN: 'other' } } }],
    ['an argument', { server: { ...parts.server, args: ['a', 'b', ''] } }],
    ['the boundary between arguments', { server: { ...parts.server, args: ['a,b'] } }],
    ['a capability', { capabilities: { roots: {} } }],
    ['missing capabilities', { capabilities: undefined }],
    ['the protocol version', { protocolVersion: '2025-06-18' }],
    ['a string instead of a number', { server: { port: '1' }, capabilities: { port: 1 } }],
  ])('changes with %s', (_, change) => {
    expect(catalogKey({ ...parts, ...change })).not.toBe(catalogKey(parts));
  });

  test('differs for everything that differs in JSON', () => {
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
  ])('supports extremely %s values', (_, capabilities) => {
    expect(catalogKey({ ...parts, capabilities })).toMatch(/^[0-9a-f]{64}$/);
  });
});

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).map(([key, inside]) => [key, sorted(inside)] as const);
  return { members: members.sort(([a], [b]) => (a < b ? -1 : 1)) };
}
