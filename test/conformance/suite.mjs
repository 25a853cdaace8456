// @ts-check
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** @typedef {{ id: string, name: string, status: string, description: string, errorMessage?: string }} Check */
/** @typedef {{ scenario: string, isRequired: boolean, checks: readonly Check[], isAlone?: boolean }} Result */
/**
 * Which scenarios to report: those for clients or for servers, of one revision. All of them, unless `scenarios` names some.
 * @typedef {{ side: 'client' | 'server', revision: string, scenarios?: readonly string[] | undefined }} Scenarios
 */

/** What the suite wrote about a scenario. @typedef {{ folder: string, checks: readonly Check[] }} Found */

const RUN_MS = 180_000;

const folder = dirname(fileURLToPath(import.meta.url));
const root = join(folder, '..', '..');
const suite = join(folder, 'node_modules', '@modelcontextprotocol', 'conformance');

/** Runs the scenarios with these arguments of the suite. @param {Scenarios} scenarios @param {readonly string[]} args */
export async function runSuite(scenarios, args) {
  const named = scenarios.scenarios;
  const isChosen = (/** @type {string} */ scenario) => named === undefined || named.includes(scenario);
  const required = readRequired(scenarios).filter(isChosen);
  const found = await judge([scenarios.side, '--requirements', scenarios.revision, ...args]);
  const results = found.map((result) => toResult(result, required)).filter(({ scenario }) => isChosen(scenario));
  const seen = new Set(results.map(({ scenario }) => scenario));
  const missing = required.filter((scenario) => !seen.has(scenario));
  return [...results, ...missing.map((scenario) => ({ scenario, isRequired: true, checks: [] }))].sort(compare);
}

/**
 * Runs one required scenario and nothing else at the same time.
 * @param {Pick<Scenarios, 'side' | 'revision'>} scenarios @param {string} scenario @param {readonly string[]} args
 * @returns {Promise<Result>}
 */
export async function runAlone({ side, revision }, scenario, args) {
  const [found] = await judge([side, '--scenario', scenario, '--spec-version', revision, ...args]);
  return { scenario, isRequired: true, checks: found?.checks ?? [], isAlone: true };
}

/** Runs the suite. @param {readonly string[]} args @returns {Promise<Found[]>} */
async function judge(args) {
  // Clients store their state here, so that nothing is left of clients that must be killed.
  const work = mkdtempSync(join(tmpdir(), 'switchboard-conformance-'));
  const output = join(work, 'results');
  mkdirSync(output);
  try {
    await start([...args, '--output-dir', output], work);
    return readdirSync(output, { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('checks.json'))
      .map((file) => ({ folder: dirname(file), checks: JSON.parse(readFileSync(join(output, file), 'utf8')) }));
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** @param {readonly string[]} args @param {string} work */
async function start(args, work) {
  // Our client runs on the current Node, the suite on its own.
  const path = [dirname(process.execPath), process.env['PATH']].join(delimiter);
  const running = spawn(
    join(folder, 'node_modules', 'node', 'bin', 'node'),
    [join(suite, 'dist', 'index.js'), ...args],
    // A separate process group, so that everything in it can be stopped together.
    {
      cwd: root,
      env: { ...process.env, PATH: path, TMPDIR: work },
      stdio: ['ignore', 'ignore', 'ignore'],
      detached: true,
    },
  );
  const end = () => process.kill(-(running.pid ?? 0), 'SIGKILL');
  const timer = setTimeout(end, RUN_MS);
  let isInterrupted = false;
  const interrupt = () => {
    isInterrupted = true;
    end();
  };
  process.once('SIGINT', interrupt).once('SIGTERM', interrupt);
  await once(running, 'exit');
  process.off('SIGINT', interrupt).off('SIGTERM', interrupt);
  clearTimeout(timer);
  if (isInterrupted) throw new Error('Interrupted.');
}

/** The names under `client:` or `server:` in the suite's own list. @param {Scenarios} scenarios */
function readRequired({ side, revision }) {
  const text = readFileSync(join(suite, 'requirements', `${revision}.yaml`), 'utf8');
  const section = new RegExp(`^${side}:\\n((?: .*\\n|#.*\\n|\\n)*)`, 'm').exec(text)?.[1] ?? '';
  return [...section.matchAll(/^ +- (\S+)/gm)].map(([, name]) => name ?? '');
}

/** @param {Found} found @param {readonly string[]} required @returns {Result} */
function toResult({ folder, checks }, required) {
  // The folder is named after the scenario, which may contain a slash, and a time. Those for servers have a prefix.
  const named = folder.replace(/-\d{4}-\d\d-\d\dT.*$/, '');
  const scenario = required.includes(named) ? named : named.replace(/^server-/, '');
  return { scenario, isRequired: required.includes(scenario), checks };
}

/** Sorts required ones first. @param {Result} a @param {Result} b */
function compare(a, b) {
  return Number(b.isRequired) - Number(a.isRequired) || a.scenario.localeCompare(b.scenario);
}
