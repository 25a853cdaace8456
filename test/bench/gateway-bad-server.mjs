// @ts-check
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { startExec } from './codex-process.mjs';
import { withCodex } from './codex-testbed.mjs';
import { startGateway, upstream } from './gateway-process.mjs';

/** @typedef {import('./gateway-process.mjs').Program} Program */

const MAIN = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));
const GOOD = 20;
const MANY = 150;
/** One minute for the servers, because their start time is not measured. */
const READY_MS = 60_000;

/** Servers with one bad habit each. @type {Readonly<Record<'hangs' | 'dies', Program>>} */
const bad = {
  hangs: upstream('--hang', 'initialize'),
  dies: { command: process.execPath, args: ['-e', 'process.exit(1)'] },
};

/** @param {number} count @returns {Record<string, Program>} */
function servers(count) {
  return Object.fromEntries(Array.from({ length: count }, (_, at) => [`s${at + 1}`, upstream()]));
}

/** Milliseconds of a `codex exec` after the first: with the bad server among twenty good ones, and without it.
 * @param {'hangs' | 'dies'} habit */
export function badServerStartMs(habit) {
  return withCodex(async (createHome) => {
    const ours = prepareHome(createHome(), { ...servers(GOOD), bad: bad[habit] });
    const theirs = prepareHome(createHome(), servers(GOOD));
    for (const home of [ours, theirs]) await execMs(home);
    return { ours: await execMs(ours), theirs: await execMs(theirs) };
  });
}

/** Makes Codex wait for the gateway, so that a delayed list shows up in the measurement.
 * @param {import('./codex-testbed.mjs').CodexHome} home @param {Readonly<Record<string, Program>>} mcpServers */
function prepareHome(home, mcpServers) {
  const { CODEX_HOME = '', HOME = '' } = home.env;
  const file = join(HOME, 'servers.json');
  writeFileSync(file, JSON.stringify({ mcpServers }));
  const args = JSON.stringify([MAIN, 'gateway', '--config', file]);
  const settings = [`command = ${JSON.stringify(process.execPath)}`, `args = ${args}`, 'required = true'];
  appendFileSync(join(CODEX_HOME, 'config.toml'), `\n[mcp_servers.gw]\n${settings.join('\n')}\n`);
  appendFileSync(join(CODEX_HOME, 'config.toml'), `env = { SWITCHBOARD_HOME = ${JSON.stringify(HOME)} }\n`);
  return home;
}

/** @param {import('./codex-testbed.mjs').CodexHome} home */
async function execMs(home) {
  const begin = performance.now();
  const codex = startExec(home, 'hello');
  codex.stdout.resume();
  const [status] = await once(codex, 'exit');
  if (status !== 0) throw new Error(`codex exec ended with ${status}`);
  return performance.now() - begin;
}

/** The slowest ping or list while many servers with cached catalogs start. */
export async function longestBlockMs() {
  const home = mkdtempSync(join(tmpdir(), 'switchboard-bench-'));
  try {
    const all = servers(MANY);
    const warm = spawn(process.execPath, [MAIN, 'warm', '--config', writeConfig(home, all)], {
      env: { ...process.env, HOME: home, SWITCHBOARD_HOME: home },
      stdio: 'ignore',
    });
    await once(warm, 'exit');
    return { ours: await longestAnswerMs(all, home), theirs: 0 };
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

/** @param {string} home @param {Readonly<Record<string, Program>>} mcpServers */
function writeConfig(home, mcpServers) {
  const file = join(home, 'servers.json');
  writeFileSync(file, JSON.stringify({ mcpServers }));
  return file;
}

/** @param {Readonly<Record<string, Program>>} all @param {string} home */
async function longestAnswerMs(all, home) {
  const gateway = startGateway(all, {}, home);
  await gateway.client.initialize();
  let longestMs = 0;
  let isReady = false;
  /** @param {string} method @param {number} everyMs */
  const repeat = async (method, everyMs) => {
    while (!isReady) {
      const begin = performance.now();
      await gateway.client.request(method, {});
      longestMs = Math.max(longestMs, performance.now() - begin);
      await delay(everyMs);
    }
  };
  const asking = [repeat('ping', 5), repeat('tools/list', 100)];
  const end = performance.now() + READY_MS;
  while (!isReady && performance.now() < end) {
    const { result } = await gateway.client.request('resources/read', { uri: 'switchboard://status' });
    const states = JSON.parse(result.contents[0].text).servers;
    isReady = states.every((/** @type {{ state: string }} */ { state }) => state === 'ready');
    await delay(500);
  }
  const wereReady = isReady;
  isReady = true;
  await Promise.all(asking);
  await gateway.close();
  if (!wereReady) throw new Error('The servers were not ready within a minute.');
  return longestMs;
}
