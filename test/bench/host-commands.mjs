// @ts-check
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { connect } from './client.mjs';
import { upstream } from './gateway-process.mjs';
import { finish, startNode, waitedCpuMs } from './process.mjs';
import { alternate } from './rounds.mjs';

const PACKAGE = fileURLToPath(new URL('../../package.json', import.meta.url));
/** The program that `switchboard` starts. */
const MAIN = join(dirname(PACKAGE), JSON.parse(readFileSync(PACKAGE, 'utf8')).bin.switchboard);
const CALL_TURNS = 10;
const COMPLETION_TURNS = 4;
const VERSION_TURNS = 6;
/** The kernel shows the CPU of ended processes in ticks of 10 ms, so several are measured together. */
const STARTS = 8;
const SERVERS = 10;
const TOOLS = 20;
const DOCTOR_SERVERS = 20;
/** A server that does not answer in time decides the exit status of `doctor`. */
const TIMED_OUT_STATUS = 8;
/** Timeout for the socket of a gateway that is already running. */
const SOCKET_TIMEOUT_MS = 5_000;

/** Milliseconds of `mcp call` through a running gateway, and of a whole `node -e 0`. */
export async function callMs() {
  const home = openHome({ s1: upstream() });
  const gateway = start(home, ['gateway']);
  try {
    const client = connect(gateway);
    await client.initialize();
    await client.request('tools/list', {});
    await socketIn(join(home, 'run'));
    const call = (/** @type {readonly string[]} */ ...options) =>
      run(home, ['mcp', 'call', 's1.echo', 'text=through the gateway', ...options]);
    const reported = JSON.parse(await call('--json'));
    if (reported.via !== 'gateway')
      throw new Error(`the call did not go through the gateway: ${JSON.stringify(reported)}`);
    const ours = async () => {
      const output = await call();
      if (output !== 'through the gateway\n') throw new Error(`mcp call printed ${JSON.stringify(output)}`);
    };
    return await alternate({ turns: CALL_TURNS, ours: () => wallMs(ours), theirs: () => wallMs(bareNode) });
  } finally {
    await finish(gateway);
    rmSync(home, { recursive: true, force: true });
  }
}

/** CPU milliseconds of the completion command that a shell runs on Tab, and of a whole `node -e 0`. */
export async function completionCpuMs() {
  const ids = Array.from({ length: SERVERS }, (_, index) => `server_${index + 1}`);
  const home = openHome(Object.fromEntries(ids.map((id) => [id, upstream()])));
  writeFileSync(join(home, 'names.json'), JSON.stringify(toNames(ids)));
  const ours = async () => {
    const output = await run(home, [
      'completion',
      '--line',
      ' \t\n"\'><=;|&(:',
      '--',
      'switchboard mcp call server_7.tool_1',
    ]);
    if (output.split('\n').filter((word) => word.startsWith('server_7.tool_1')).length !== 11) {
      throw new Error(`completion printed ${JSON.stringify(output)}`);
    }
  };
  try {
    return await alternate({ turns: COMPLETION_TURNS, ours: () => cpuMs(ours), theirs: () => cpuMs(bareNode) });
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

/** CPU milliseconds of `switchboard --version`, and of a whole `node -e 0`. */
export async function versionCpuMs() {
  const home = openHome({});
  const ours = () => run(home, ['--version']);
  try {
    return await alternate({ turns: VERSION_TURNS, ours: () => cpuMs(ours), theirs: () => cpuMs(bareNode) });
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

/** Wall milliseconds of `npm start` in a checkout that is built. */
export async function npmStartMs() {
  const npm = process.env['npm_execpath'];
  const [command, args] = npm === undefined ? ['npm', []] : [process.execPath, [npm]];
  const start = async () => {
    const started = spawn(command, [...args, 'start'], { cwd: dirname(PACKAGE), stdio: 'ignore' });
    const [status] = await once(started, 'close');
    if (status !== 0) throw new Error(`npm start exited with ${status}`);
  };
  return { ours: await wallMs(start), theirs: 1 };
}

/** Milliseconds of `doctor` with 20 servers, of which the first and the last never answer. */
export async function doctorMs() {
  const hanging = { command: process.execPath, args: ['-e', 'process.stdin.resume()'] };
  const entries = Array.from({ length: DOCTOR_SERVERS }, (_, index) => {
    const isHanging = index === 0 || index === DOCTOR_SERVERS - 1;
    return [`server_${index + 1}`, isHanging ? hanging : upstream()];
  });
  const home = openHome(Object.fromEntries(entries));
  try {
    const before = performance.now();
    const output = await run(home, ['doctor', '--json'], TIMED_OUT_STATUS);
    const { working, failing } = JSON.parse(output).servers;
    if (working !== DOCTOR_SERVERS - 2 || failing !== 2) throw new Error(`doctor counted ${working} and ${failing}`);
    return { ours: performance.now() - before, theirs: 0 };
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

/** Creates a home with these servers in its config. @param {Readonly<Record<string, object>>} servers */
function openHome(servers) {
  const home = mkdtempSync(join(tmpdir(), 'switchboard-bench-'));
  writeFileSync(join(home, 'config.json'), JSON.stringify({ version: 1, mcp: { servers } }));
  return home;
}

/** Returns cached catalogs for these servers. @param {readonly string[]} ids */
function toNames(ids) {
  const keys = ['text', 'count', 'deep'].map((name) => ({ name, type: 'string' }));
  const tools = Array.from({ length: TOOLS }, (_, index) => ({ name: `tool_${index}`, keys }));
  return { version: 1, servers: Object.fromEntries(ids.map((id) => [id, { tools }])) };
}

/** @param {string} folder */
async function socketIn(folder) {
  for (const end = performance.now() + SOCKET_TIMEOUT_MS; performance.now() < end; await delay(5)) {
    try {
      const name = readdirSync(folder).find((one) => one.endsWith('.sock'));
      if (name !== undefined) return join(folder, name);
    } catch {
      // The folder does not exist yet.
    }
  }
  throw new Error(`no socket in ${folder}`);
}

/** @param {string} home @param {readonly string[]} args @param {number} [status] the expected exit status */
async function run(home, args, status = 0) {
  const started = start(home, args);
  started.stdin.end();
  let output = '';
  started.stdout.setEncoding('utf8').on('data', (text) => {
    output += text;
  });
  await once(started, 'close');
  if (started.exitCode !== status)
    throw new Error(`${args.join(' ')} exited with ${started.exitCode} and printed ${output}`);
  return output;
}

/** @param {string} home @param {readonly string[]} args */
function start(home, args) {
  const { NODE_EXTRA_CA_CERTS: _, NODE_OPTIONS: __, DEBUG: ___, ...inherited } = process.env;
  const env = { ...inherited, HOME: home, SWITCHBOARD_HOME: home };
  return spawn(process.execPath, [MAIN, ...args], { env, cwd: home, stdio: ['pipe', 'pipe', 'ignore'] });
}

function bareNode() {
  return once(startNode(['-e', '0']), 'close');
}

/** @param {() => Promise<unknown>} work */
async function wallMs(work) {
  const before = performance.now();
  await work();
  return performance.now() - before;
}

/** @param {() => Promise<unknown>} work */
async function cpuMs(work) {
  const before = waitedCpuMs();
  for (let start = 0; start < STARTS; start++) await work();
  return (waitedCpuMs() - before) / STARTS;
}
