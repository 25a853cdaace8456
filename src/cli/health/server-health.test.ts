import { expect, test } from 'vitest';
import { countHealth, countsText, type ServerHealth } from './server-health.ts';

const servers: readonly ServerHealth[] = [
  { id: 'a', state: 'working', tools: 3 },
  { id: 'b', state: 'failing', tools: 0 },
  { id: 'c', state: 'untrusted', tools: 0 },
  { id: 'd', state: 'disabled', tools: 0 },
];

test('counts each state once', () => {
  expect(countHealth(servers)).toEqual({ servers: 4, working: 1, failing: 1, untrusted: 1, disabled: 1, tools: 3 });
});

test.each([
  [servers, '1 of 4 works, 1 fails, 1 not trusted, 1 disabled; 3 tools'],
  [servers.slice(0, 1), '1 works; 3 tools'],
  [[...servers.slice(0, 1), { id: 'e', state: 'working', tools: 1 } as const], 'all 2 work; 4 tools'],
])('mentions only what occurs', (some, text) => {
  expect(countsText(countHealth(some))).toBe(text);
});
