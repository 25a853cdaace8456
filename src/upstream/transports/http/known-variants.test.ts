import { expect, test } from 'vitest';
import { createKnownVariants } from './known-variants.ts';
import type { ProtocolVariant } from './protocol-negotiation.ts';

const URL_A = 'http://127.0.0.1:1/mcp';
const SESSION: ProtocolVariant = { kind: 'session', isGuess: false };
const OLDEST: ProtocolVariant = { kind: 'legacy-sse' };

test.each<[string, ProtocolVariant]>([
  ['a guess', { kind: 'session', isGuess: true }],
  ['a modern server, whose handshake is the probe', { kind: 'modern', discovered: {} }],
])('does not remember %s', (_, way) => {
  const ways = createKnownVariants(() => 0);
  ways.remember(URL_A, way);
  expect(ways.find(URL_A)).toBeUndefined();
});

test.each([SESSION, OLDEST])('remembers %j for the next connection only', (way) => {
  const ways = createKnownVariants(() => 0);
  ways.remember(URL_A, way);
  expect([ways.find('http://127.0.0.1:2/mcp'), ways.find(URL_A), ways.find(URL_A)]).toEqual([
    undefined,
    way,
    undefined,
  ]);
});

test('uses the latest variant', () => {
  const ways = createKnownVariants(() => 0);
  ways.remember(URL_A, OLDEST);
  ways.remember(URL_A, SESSION);
  expect(ways.find(URL_A)).toEqual(SESSION);
});

test('probes a server again after ten minutes', () => {
  let now = 0;
  const ways = createKnownVariants(() => now);
  ways.remember(URL_A, SESSION);
  now = 600_000;
  expect(ways.find(URL_A)).toBeUndefined();
  ways.remember(URL_A, SESSION);
  now = 1_199_999;
  expect(ways.find(URL_A)).toEqual(SESSION);
});
