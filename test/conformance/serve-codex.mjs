// @ts-check
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const program = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));
const START_MS = 30_000;

/** The scenarios that name no tool, prompt or resource of the suite's own fixture server. */
const NAME_INDEPENDENT = new Set([
  'server-initialize',
  'server-session-lifecycle',
  'server-stateless',
  'ping',
  'tools-list',
  'resources-list',
  'prompts-list',
  'logging-set-level',
  'dns-rebinding-protection',
  'caching',
  'http-header-validation',
  'sep-2164-resource-not-found',
]);

/** The checks of `server-stateless` that call tools of the fixture server. */
const CHECKS_WITH_NAMES = new Set([
  'sep-2575-server-rejects-undeclared-capability',
  'sep-2575-missing-capability-http-400',
  'sep-2575-server-sends-prompts-list-changed-on-subscription',
  'sep-2575-server-sends-tools-list-changed-on-subscription',
]);

/** Returns the results that count for a server with tools of its own. @param {readonly import('./suite.mjs').Result[]} results */
export function onlyNameIndependent(results) {
  return results
    .filter(({ scenario }) => NAME_INDEPENDENT.has(scenario))
    .map((result) => ({ ...result, checks: result.checks.filter(({ id }) => !CHECKS_WITH_NAMES.has(id)) }));
}

/**
 * Runs `switchboard codex --http` while `use` runs. Needs no Codex: the scenarios call no tool.
 * @template Result @param {(url: string) => Promise<Result>} use
 */
export async function withCodexServer(use) {
  const home = mkdtempSync(join(tmpdir(), 'switchboard-conformance-'));
  const server = spawn(process.execPath, [program, 'codex', '--tools', 'all', '--http', '0', '--auth', 'none'], {
    env: { ...process.env, SWITCHBOARD_HOME: home, CODEX_HOME: home },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const exited = once(server, 'exit');
  try {
    return await use(await readUrl(server.stderr));
  } finally {
    server.kill('SIGTERM');
    await exited;
    rmSync(home, { recursive: true, force: true });
  }
}

/** @param {import('node:stream').Readable} stderr */
async function readUrl(stderr) {
  const lines = createInterface({ input: stderr });
  for (;;) {
    const [line] = await once(lines, 'line', { signal: AbortSignal.timeout(START_MS) });
    const [, url] = /Listening on (\S+)\./.exec(String(line)) ?? [];
    if (url !== undefined) return url;
  }
}
