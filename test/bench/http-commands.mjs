// @ts-check
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { connect } from './client.mjs';
import { upstream } from './gateway-process.mjs';
import { finish, startNode, waitedCpuMs } from './process.mjs';
import { alternate } from './rounds.mjs';

const MAIN = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));
const TURNS = 4;
/** The kernel shows the CPU of ended processes in ticks of 10 ms, so several are measured together. */
const STARTS = 4;
/** `mcp test` may take this multiple of the server's own time. The rest is compared with a fixed limit. */
export const TEST_SHARE = 1.3;

/** CPU milliseconds of `mcp list` in a new home, and of a whole `node -e 0`. */
export function listCpuMs() {
  return alternate({
    turns: TURNS,
    ours: () => cpuMs(() => runCommand(['mcp', 'list'])),
    theirs: () => cpuMs(() => once(startNode(['-e', '0']), 'exit')),
  });
}

/** Milliseconds of `mcp test` of a stdio server, and `TEST_SHARE` times the time to start that server directly,
 * initialize it, list its tools and stop it. */
export function testMs() {
  return alternate({
    turns: TURNS * 2,
    ours: () => wallMs(() => runCommand(['mcp', 'test', 'program'])),
    theirs: async () => TEST_SHARE * (await wallMs(startDirectly)),
  });
}

/** @param {readonly string[]} args */
async function runCommand(args) {
  const folder = mkdtempSync(join(tmpdir(), 'switchboard-bench-'));
  const servers = {
    program: upstream(),
    other: upstream(),
    remote: { url: 'https://mcp.example.com/mcp' },
    keyed: { url: 'https://api.example.com/mcp', headers: { 'x-api-key': 'secret' } },
  };
  writeFileSync(join(folder, 'config.json'), JSON.stringify({ version: 1, mcp: { servers } }));
  const { NODE_EXTRA_CA_CERTS: _, NODE_OPTIONS: __, DEBUG: ___, ...inherited } = process.env;
  const env = { ...inherited, HOME: folder, SWITCHBOARD_HOME: folder };
  const started = spawn(process.execPath, [MAIN, ...args], { env, cwd: folder, stdio: ['ignore', 'pipe', 'ignore'] });
  let output = '';
  started.stdout.setEncoding('utf8').on('data', (text) => {
    output += text;
  });
  await once(started, 'close');
  rmSync(folder, { recursive: true, force: true });
  if (started.exitCode !== 0 || !output.includes('program')) {
    throw new Error(
      `${args.join(' ')} ended with ${started.exitCode} and said ${JSON.stringify(output.slice(0, 300))}`,
    );
  }
}

async function startDirectly() {
  const { args } = upstream();
  const started = startNode(args);
  const client = connect(started);
  await client.initialize();
  await client.request('tools/list', {});
  await finish(started);
}

/** @param {() => Promise<unknown>} work */
async function cpuMs(work) {
  const before = waitedCpuMs();
  for (let start = 0; start < STARTS; start++) await work();
  return (waitedCpuMs() - before) / STARTS;
}

/** @param {() => Promise<unknown>} work */
async function wallMs(work) {
  const before = performance.now();
  await work();
  return performance.now() - before;
}
