// @ts-check
// Runs test/chaos for a long time, outside the test runner: npm run chaos -- [--calls 1000000] [--seed n] [--every n]
import { mkdtempSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { build } from 'esbuild';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const text = /** @type {const} */ ({ type: 'string' });
const { values } = parseArgs({ options: { calls: text, seed: text, every: text } });
const calls = wholeNumber(values.calls ?? '100000', '--calls');
const seed = wholeNumber(values.seed ?? String(Math.floor(Math.random() * 2 ** 31)), '--seed');
// Restarts take most of the time. At this rate, most calls in a long run reach servers that have recovered.
const callsPerEvent = wholeNumber(values.every ?? '400', '--every');

// Inside the repository, because Node resolves the imported packages from there.
const folder = mkdtempSync(join(root, 'node_modules', '.chaos-'));
try {
  const outfile = join(folder, 'chaos.mjs');
  await build({
    absWorkingDir: root,
    entryPoints: ['test/chaos/main.ts'],
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    packages: 'external',
    sourcemap: 'inline',
    logLevel: 'warning',
  });
  const { runChaos } = await import(pathToFileURL(outfile).href);
  const program = join(root, 'test/chaos/fixtures/injects-faults.mjs');
  const write = (/** @type {string} */ line) => process.stdout.write(`${line}\n`);
  if (!(await runChaos({ calls, seed, callsPerEvent, program, write }))) process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** @param {string} text @param {string} option */
function wholeNumber(text, option) {
  if (/^\d{1,10}$/.test(text)) return Number(text);
  throw new Error(`${option} must be an integer, not ${text}`);
}
