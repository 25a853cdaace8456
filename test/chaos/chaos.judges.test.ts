import { expect, test } from 'vitest';
import { runChaosTest } from './chaos-run.ts';
import { formatChaosReport } from './report.ts';

const CALLS = 10_000;
const CALLS_PER_EVENT = 50;
/** The judge and the test runner retain little memory. A leak of a few bytes per call is larger. */
const MAX_GROWTH_MIB = 32;

test('every call gets exactly one correct response whatever happens to the servers, and nothing is left running', {
  timeout: 300_000,
}, async () => {
  const seed = Math.floor(Math.random() * 2 ** 31);
  const report = await runChaosTest({ calls: CALLS, seed, callsPerEvent: CALLS_PER_EVENT });
  process.stderr.write(`${formatChaosReport(report)}\n`);
  expect(report.checker.violations).toEqual([]);
  expect(report.memory.live.after - report.memory.live.before).toBeLessThan(MAX_GROWTH_MIB);
});
