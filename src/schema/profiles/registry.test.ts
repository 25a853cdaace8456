import { expect, test } from 'vitest';
import { chooseProfile, PROFILES } from './registry.ts';

test.each([
  [undefined, 'none'],
  [null, 'none'],
  ['codex', 'none'],
  [{ name: 7 }, 'none'],
  [{ name: 'claude-code', version: '2.0.0' }, 'none'],
  [{ name: 'my-codex', version: '0.166.0' }, 'none'],
  [{ name: 'codex-mcp-client', version: '0.166.0' }, 'codex'],
  [{ name: 'codex-mcp-client', version: '0.93.0-alpha.1' }, 'codex'],
  [{ name: 'codex-mcp-client', version: '1.0.0' }, 'codex'],
  [{ name: 'Codex', version: 'v0.166' }, 'codex'],
  [{ name: 'codex-mcp-client', version: '0.92.9' }, 'codex-legacy'],
  [{ name: 'codex-mcp-client', version: '0.0.0' }, 'codex-legacy'],
  [{ name: 'codex-mcp-client', version: 'unknown' }, 'codex-legacy'],
  [{ name: 'codex-mcp-client', version: 166 }, 'codex-legacy'],
  [{ name: 'codex-mcp-client' }, 'codex-legacy'],
])('%j gets the profile %s', (clientInfo, name) => {
  expect(chooseProfile(clientInfo)).toBe(name);
});

test('each profile is listed under its own name, with its limit for tool names', () => {
  expect(Object.entries(PROFILES).map(([key, { name, maxNameLength }]) => ({ key, name, maxNameLength }))).toEqual([
    { key: 'none', name: 'none', maxNameLength: 64 },
    { key: 'codex', name: 'codex', maxNameLength: 110 },
    { key: 'codex-legacy', name: 'codex-legacy', maxNameLength: 40 },
  ]);
});
