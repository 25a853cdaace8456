// @ts-check
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { isOk } from '../report.mjs';

/** The suite starts all clients at once, so on a small machine each gets little CPU time. */
const CLIENT_MS = 60_000;

/** If so many fail again, the machine is not the reason, and the rest is not repeated. */
const MAX_FAILED_ALONE = 3;

/** @typedef {import('../suite.mjs').Result} Result */

/** Our host in a program of its own. @type {import('./targets.mjs').Target} */
export const hostTarget = {
  name: 'host',
  side: 'client',
  async judge(run) {
    const args = ['--command', `node ${await bundleClient()}`, '--timeout', String(CLIENT_MS)];
    return repeatFailed(await run.all(args), (scenario) => run.alone(scenario, args));
  },
};

/**
 * Repeats failed scenarios one by one, because on a busy machine some clients miss a deadline when all run at once.
 * @param {readonly Result[]} results @param {(scenario: string) => Promise<Result>} repeat
 */
async function repeatFailed(results, repeat) {
  const repeated = [];
  let failed = 0;
  for (const result of results) {
    const isFinal = !result.isRequired || isOk(result) || failed === MAX_FAILED_ALONE;
    const last = isFinal ? result : await repeat(result.scenario);
    if (last !== result && !isOk(last)) failed++;
    repeated.push(last);
  }
  return repeated;
}

/** Node 20 cannot run TypeScript. @returns {Promise<string>} relative to the root: the suite splits commands at spaces */
async function bundleClient() {
  const outdir = join('test', '.tmp', 'conformance');
  await build({
    absWorkingDir: join(dirname(fileURLToPath(import.meta.url)), '..', '..', '..'),
    entryPoints: ['test/conformance/client.ts'],
    outdir,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    packages: 'external',
    logLevel: 'warning',
  });
  return join(outdir, 'client.mjs');
}
