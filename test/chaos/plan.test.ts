import { expect, test } from 'vitest';
import { type ChaosEvent, createPlan } from './plan.ts';
import { createRandom } from './random.ts';

const SERVERS = ['a', 'b', 'c'];

function events(seed: number, count = 500): readonly ChaosEvent[] {
  const next = createPlan(SERVERS, createRandom(seed));
  return Array.from({ length: count }, next);
}

test('a seed repeats its events, and another seed has different ones', () => {
  expect(events(1)).toEqual(events(1));
  expect(events(1)).not.toEqual(events(2));
});

test('plans nothing for an absent server except adding it back', () => {
  const absent = new Set<string>();
  for (const event of events(3)) {
    if (!('server' in event)) continue;
    expect(absent.has(event.server)).toBe(event.kind === 'add');
    if (event.kind === 'remove') absent.add(event.server);
    if (event.kind === 'add') absent.delete(event.server);
  }
});

test('no server crashes so often per entry that it is given up', () => {
  const crashes = new Map<string, number>();
  for (const event of events(4)) {
    if (!('server' in event)) continue;
    const isFall = event.kind === 'kill' || (event.kind === 'call' && ['die', 'half'].includes(event.habit));
    if (isFall) crashes.set(event.server, (crashes.get(event.server) ?? 0) + 1);
    if (event.kind === 'change' || event.kind === 'remove') crashes.delete(event.server);
    expect(crashes.get(event.server) ?? 0).toBeLessThan(4);
  }
});
