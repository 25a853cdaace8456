// @ts-check
// npm run conformance [-- <revision or target>…]: the official suite's client scenarios against our host, and its
// server scenarios against servers of ours (targets/targets.mjs). Prints a table for each, with every failed check,
// and a summary. Exits with 1 if a required scenario fails. A warning counts as a failure.
import { isComplete, toSummary, toTable } from './report.mjs';
import { select } from './select.mjs';
import { runAlone, runSuite } from './suite.mjs';
import { targets as allTargets } from './targets/targets.mjs';

const REVISIONS = ['2025-11-25', '2026-07-28'];

const { revisions, targets } = select(process.argv.slice(2), REVISIONS, allTargets);
await import('./install.mjs');
/** @type {import('./report.mjs').Report[]} */
const reports = [];
for (const revision of revisions) {
  for (const { name, side, scenarios, judge } of targets) {
    const startedAt = performance.now();
    const run = {
      all: (/** @type {readonly string[]} */ args) => runSuite({ side, revision, scenarios }, args),
      alone: (/** @type {string} */ scenario, /** @type {readonly string[]} */ args) =>
        runAlone({ side, revision }, scenario, args),
    };
    const results = await judge(run, revision);
    const report = { revision, target: name, results, seconds: (performance.now() - startedAt) / 1000 };
    reports.push(report);
    process.stdout.write(toTable(report));
  }
}
process.stdout.write(toSummary(reports));
if (!reports.every(isComplete)) process.exitCode = 1;
