// @ts-check
// npm run conformance [-- revision]: the client scenarios of the official suite against our host. Prints a table for each
// revision and every failed check. Exits with 1 if a required scenario fails. A warning counts as a failure.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

/** @typedef {{ id: string, name: string, status: string, description: string, errorMessage?: string }} Check */
/** @typedef {{ scenario: string, isRequired: boolean, checks: readonly Check[] }} Result */

const REVISIONS = ['2025-11-25', '2026-07-28'];
/** The suite starts all clients at once, so on a small machine each gets little CPU time. */
const CLIENT_MS = 60_000;
const RUN_MS = 180_000;

const folder = dirname(fileURLToPath(import.meta.url));
const root = join(folder, '..', '..');
const suite = join(folder, 'node_modules', '@modelcontextprotocol', 'conformance');

await import('./install.mjs');
const client = await bundleClient();
const wanted = process.argv.slice(2);
let hasFailed = false;
for (const revision of wanted.length === 0 ? REVISIONS : wanted) {
  const results = await run(revision);
  process.stdout.write(toTable(revision, results));
  hasFailed ||= results.some((result) => result.isRequired && !isOk(result));
}
process.exitCode = hasFailed ? 1 : 0;

/** Node 20 cannot run TypeScript. @returns {Promise<string>} relative to the root: the suite splits commands at spaces */
async function bundleClient() {
  const outdir = join('test', '.tmp', 'conformance');
  await build({
    absWorkingDir: root,
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

/** @param {string} revision @returns {Promise<readonly Result[]>} */
async function run(revision) {
  const required = readRequired(revision);
  // Clients store their state here, so that nothing is left of clients that must be killed.
  const work = mkdtempSync(join(tmpdir(), 'switchboard-conformance-'));
  const output = join(work, 'results');
  mkdirSync(output);
  try {
    await runSuite(revision, { output, work });
    const results = readdirSync(output, { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('checks.json'))
      .map((file) => toResult(output, file, required));
    const seen = new Set(results.map(({ scenario }) => scenario));
    const missing = required.filter((scenario) => !seen.has(scenario));
    return [...results, ...missing.map((scenario) => ({ scenario, isRequired: true, checks: [] }))].sort(compare);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** @param {string} revision @param {{ output: string, work: string }} folders */
async function runSuite(revision, { output, work }) {
  // Our client runs on the current Node, the suite on its own.
  const path = [dirname(process.execPath), process.env['PATH']].join(delimiter);
  const args = ['client', '--command', `node ${client}`, '--requirements', revision, '--timeout', String(CLIENT_MS)];
  const judge = spawn(
    join(folder, 'node_modules', 'node', 'bin', 'node'),
    [join(suite, 'dist', 'index.js'), ...args, '--output-dir', output],
    // A separate process group, so that everything in it can be stopped together.
    {
      cwd: root,
      env: { ...process.env, PATH: path, TMPDIR: work },
      stdio: ['ignore', 'ignore', 'ignore'],
      detached: true,
    },
  );
  const end = () => process.kill(-(judge.pid ?? 0), 'SIGKILL');
  const timer = setTimeout(end, RUN_MS);
  process.once('SIGINT', end).once('SIGTERM', end);
  await once(judge, 'exit');
  process.off('SIGINT', end).off('SIGTERM', end);
  clearTimeout(timer);
}

/** The names under `client:` in the suite's own list. @param {string} revision */
function readRequired(revision) {
  const text = readFileSync(join(suite, 'requirements', `${revision}.yaml`), 'utf8');
  const section = /^client:\n((?: .*\n|#.*\n|\n)*)/m.exec(text)?.[1] ?? '';
  return [...section.matchAll(/^ +- (\S+)/gm)].map(([, name]) => name ?? '');
}

/** @param {string} output @param {string} file @param {readonly string[]} required @returns {Result} */
function toResult(output, file, required) {
  // The folder is named after the scenario, which may contain a slash, and a time.
  const scenario = dirname(file).replace(/-\d{4}-\d\d-\d\dT.*$/, '');
  return {
    scenario,
    isRequired: required.includes(scenario),
    checks: JSON.parse(readFileSync(join(output, file), 'utf8')),
  };
}

/** @param {string} revision @param {readonly Result[]} results */
function toTable(revision, results) {
  const width = Math.max(...results.map(({ scenario }) => scenario.length));
  const lines = results.flatMap((result) => {
    const { scenario, isRequired, checks } = result;
    const verdict = isOk(result) ? 'ok    ' : isRequired ? 'FAILED' : 'no    ';
    const note = isRequired ? '' : ' (not required)';
    const passed = checks.filter(({ status }) => status === 'SUCCESS').length;
    const line = `${verdict} ${scenario.padEnd(width)} ${passed} ok, ${bad(checks).length} failed${note}`;
    const reasons = isRequired
      ? bad(checks).map((check) => `         ${check.id}: ${check.errorMessage ?? check.description}`)
      : [];
    return [line, ...reasons];
  });
  const required = results.filter(({ isRequired }) => isRequired);
  const total = `${revision}: ${required.filter(isOk).length} of ${required.length} required scenarios`;
  return `${lines.join('\n')}\n${total}\n\n`;
}

/** @param {Result} result */
function isOk({ checks }) {
  return checks.length > 0 && bad(checks).length === 0;
}

/** @param {readonly Check[]} checks */
function bad(checks) {
  return checks.filter(({ status }) => status === 'FAILURE' || status === 'WARNING');
}

/** Sorts required ones first. @param {Result} a @param {Result} b */
function compare(a, b) {
  return Number(b.isRequired) - Number(a.isRequired) || a.scenario.localeCompare(b.scenario);
}
