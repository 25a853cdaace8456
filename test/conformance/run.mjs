// @ts-check
// npm run conformance [-- revision]: the official suite's client scenarios against our host, and its server scenarios
// against a server that uses the kit and, where they name no tools, against the codex server. Prints a table for each, with every failed check. Exits with 1 if a required
// scenario fails. A warning counts as a failure.
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { isOk, toTable } from './report.mjs';
import { onlyNameIndependent, withCodexServer } from './serve-codex.mjs';
import { withFixtureServer } from './serve-fixture.mjs';
import { runSuite } from './suite.mjs';

const REVISIONS = ['2025-11-25', '2026-07-28'];
/** The suite starts all clients at once, so on a small machine each gets little CPU time. */
const CLIENT_MS = 60_000;

await import('./install.mjs');
const client = await bundleClient();
const wanted = process.argv.slice(2);
for (const revision of wanted.length === 0 ? REVISIONS : wanted) {
  const args = ['--command', `node ${client}`, '--timeout', String(CLIENT_MS)];
  report(`${revision}, host`, await runSuite({ side: 'client', revision }, args));
  const results = await withFixtureServer((url) => runSuite({ side: 'server', revision }, ['--url', url]));
  report(`${revision}, kit server over HTTP`, results);
  const ofCodex = await withCodexServer((url) => runSuite({ side: 'server', revision }, ['--url', url]));
  report(`${revision}, codex server over HTTP, scenarios without names`, onlyNameIndependent(ofCodex));
}

/** @param {string} title @param {readonly import('./suite.mjs').Result[]} results */
function report(title, results) {
  process.stdout.write(toTable(title, results));
  if (results.some((result) => result.isRequired && !isOk(result))) process.exitCode = 1;
}

/** Node 20 cannot run TypeScript. @returns {Promise<string>} relative to the root: the suite splits commands at spaces */
async function bundleClient() {
  const outdir = join('test', '.tmp', 'conformance');
  await build({
    absWorkingDir: join(dirname(fileURLToPath(import.meta.url)), '..', '..'),
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
