// @ts-check
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from './client.mjs';
import { baselineUpstream, startBaseline, startGateway, upstream } from './gateway-process.mjs';
import { cpuMs, finish, startNode, waitedCpuMs } from './process.mjs';
import { alternate } from './rounds.mjs';

const SERVERS = 20;
const TURNS = 2;
const LISTS = 20;
const MANY_TOOLS = 1000;
const MANY_SERVERS = 5;
/** The kernel shows the CPU of ended processes in ticks of 10 ms, so several are measured together. */
const STARTS = 4;

/** Twenty servers written in Node, like most servers. @returns {Record<string, import('./gateway-process.mjs').Program>} */
function nodeServers() {
  return Object.fromEntries(Array.from({ length: SERVERS }, (_, at) => [`s${at + 1}`, baselineUpstream()]));
}

/** Wall milliseconds until all tools are listed: through the gateway, and from servers started directly in parallel.
 * @param {'cold' | 'warm'} cache */
export function firstListMs(cache) {
  return withHome(cache, (home) =>
    alternate({ turns: TURNS, ours: async () => (await firstList(home, cache)).wallMs, theirs: directMs }),
  );
}

/** CPU milliseconds of the gateway until everything is listed, and of a whole `node -e 0`.
 * @param {'cold' | 'warm'} cache */
export function firstListCpuMs(cache) {
  return withHome(cache, (home) =>
    alternate({ turns: TURNS, ours: () => firstListsCpuMs(home, cache), theirs: bareNodeMs }),
  );
}

/** CPU milliseconds of the gateway until new servers are listed, with compiled code and without. */
export function compiledCodeCpuMs() {
  return withHome('cold', (home) =>
    alternate({
      turns: TURNS,
      ours: () => firstListsCpuMs(home, 'cold'),
      theirs: () => firstListsCpuMs(home, 'cold', { SWITCHBOARD_CODE_CACHE: 'off' }),
    }),
  );
}

/** Wall milliseconds of the list while one server with a cached catalog hangs. */
export async function hungListMs() {
  return withHome('cold', async (home) => {
    const well = { s1: baselineUpstream(), s2: baselineUpstream() };
    /** @param {string} hangs */
    const open = (hangs) => start({ ...well, s3: upstream('--tools', '3', '--hang-file', hangs) }, home);
    const hangs = join(home, 'hangs');
    const first = open(hangs);
    await first.ready(13);
    await first.close();
    writeFileSync(hangs, '');
    const gateway = open(hangs);
    await gateway.client.initialize();
    const before = performance.now();
    const { result } = await gateway.client.request('tools/list', {});
    const ours = performance.now() - before;
    await gateway.close();
    rmSync(hangs);
    if (result.tools.length !== 13) throw new Error(`${result.tools.length} tools were listed instead of 13.`);
    return { ours, theirs: 1 };
  });
}

/** CPU milliseconds of one repeated list of 5000 tools. */
export async function manyToolsCpuMs() {
  const servers = Object.fromEntries(
    Array.from({ length: MANY_SERVERS }, (_, at) => [`s${at + 1}`, upstream('--tools', String(MANY_TOOLS))]),
  );
  const ours = startGateway(servers);
  const theirs = startBaseline(servers);
  try {
    await Promise.all([ours.ready(MANY_SERVERS * MANY_TOOLS), theirs.ready(MANY_SERVERS * MANY_TOOLS)]);
    return await alternate({ turns: TURNS, ours: () => listsCpuMs(ours), theirs: () => listsCpuMs(theirs) });
  } finally {
    await Promise.all([ours.close(), theirs.close()]);
  }
}

/** @param {ReturnType<typeof startGateway>} gateway */
async function listsCpuMs({ client, cpuMs: ofAll }) {
  const before = ofAll();
  for (let list = 0; list < LISTS; list++) await client.request('tools/list', {});
  return (ofAll() - before) / LISTS;
}

/** @param {Readonly<Record<string, import('./gateway-process.mjs').Program>>} servers @param {string} home
 * @param {Variables} [variables] */
function start(servers, home, variables = {}) {
  return startGateway(servers, variables, home);
}

/** @typedef {Readonly<Record<string, string>>} Variables */

/** @param {string} shared @param {'cold' | 'warm'} cache @param {Variables} [variables] */
async function firstList(shared, cache, variables) {
  const home = cache === 'warm' ? shared : mkdtempSync(join(tmpdir(), 'switchboard-bench-'));
  const before = performance.now();
  const gateway = start(nodeServers(), home, variables);
  await gateway.client.initialize();
  const { result } = await gateway.client.request('tools/list', {});
  const wallMs = performance.now() - before;
  // Measure immediately, because the gateway now starts the servers with cached catalogs.
  const own = cpuMs(gateway.pid);
  const others = gateway.pids().filter((pid) => pid !== gateway.pid);
  const total = others.reduce((sum, pid) => sum + cpuMs(pid), own);
  await gateway.close();
  if (home !== shared) rmSync(home, { recursive: true, force: true });
  if (result.tools.length !== SERVERS * 5) throw new Error(`Only ${result.tools.length} tools were listed.`);
  return { wallMs, cpuMs: total };
}

/** Averages several starts, as for bare Node. @param {string} home @param {'cold' | 'warm'} cache
 * @param {Variables} [variables] */
async function firstListsCpuMs(home, cache, variables) {
  let total = 0;
  for (let start = 0; start < STARTS; start++) total += (await firstList(home, cache, variables)).cpuMs;
  return total / STARTS;
}

/** Runs `work` in a home with or without cached catalogs. @template Result
 * @param {'cold' | 'warm'} cache @param {(home: string) => Promise<Result>} work @returns {Promise<Result>} */
async function withHome(cache, work) {
  const home = mkdtempSync(join(tmpdir(), 'switchboard-bench-'));
  try {
    if (cache === 'warm') {
      const gateway = start(nodeServers(), home);
      await gateway.ready(SERVERS * 5);
      await gateway.close();
    }
    return await work(home);
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

async function directMs() {
  const before = performance.now();
  const started = Object.values(nodeServers()).map(({ command, args }) => {
    const { NODE_EXTRA_CA_CERTS: _, NODE_OPTIONS: __, ...env } = process.env;
    return spawn(command, args, { env, stdio: ['pipe', 'pipe', 'ignore'] });
  });
  await Promise.all(
    started.map(async (server) => {
      const client = connect(server);
      await client.initialize();
      await client.request('tools/list', {});
    }),
  );
  const ms = performance.now() - before;
  await Promise.all(started.map(finish));
  return ms;
}

async function bareNodeMs() {
  const before = waitedCpuMs();
  for (let start = 0; start < STARTS; start++) await once(startNode(['-e', '0']), 'exit');
  return (waitedCpuMs() - before) / STARTS;
}
