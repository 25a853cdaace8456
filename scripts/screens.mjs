// @ts-check
// Generates the images in docs/screens: npm run screens, or node scripts/screens.mjs [--main dist/cli/main.js] [--out dir]
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { delimiter, dirname, join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { runOnTerminal } from './screens/pty.mjs';
import { drawLines } from './screens/svg.mjs';
import { readScreen } from './screens/terminal-emulator.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const text = /** @type {const} */ ({ type: 'string' });
const { values } = parseArgs({ options: { main: text, out: text } });
const main = resolve(values.main ?? join(root, 'dist/cli/main.js'));
const out = resolve(values.out ?? join(root, 'docs/screens'));
const size = { columns: 80, rows: 24 };

/** The name of each screen, its command, and the input sent while the command runs. */
const screens = [
  { name: 'status', typed: 'mcp status' },
  { name: 'status-detail', typed: 'mcp status deploy' },
  { name: 'tools', typed: 'mcp tools --server files' },
  {
    name: 'call-progress',
    typed: 'mcp call demo.trigger-long-running-operation duration=2 steps=4',
    steps: [{ wait: /3\/4/, isMoment: true }],
  },
  {
    name: 'call-form',
    typed: 'mcp call deploy.deploy service=web version=1.2.3',
    steps: [
      { wait: /target: /, type: 'moon\n' },
      { wait: /target: /, type: 'staging\n' },
      { wait: /sure: /, type: 'yes\n' },
      { wait: /Send this to deploy\? /, type: 'y\n' },
    ],
  },
  { name: 'watch', typed: 'mcp status --watch', steps: [{ wait: /\[J/, type: 'q', isMoment: true }] },
];

const MAX_CAPTURES = 20;
// The path has a fixed length, because the width of table columns depends on it.
const folder = mkdtempSync('/tmp/sb-');
const env = environmentFor(process.env);
const locked = createServer(wantSignIn);
try {
  await addServers();
  const gateway = await openGateway();
  try {
    mkdirSync(out, { recursive: true });
    const settle = createSettler();
    for (const { name, typed, steps } of screens) {
      const lines = readScreen(`$ switchboard ${typed}\r\n${settle(await capture(typed, steps))}`, size);
      writeFileSync(join(out, `${name}.txt`), `${lines.join('\n')}\n`);
      writeFileSync(join(out, `${name}.svg`), drawLines(lines, { ...size, title: `switchboard ${typed}` }));
    }
  } finally {
    await gateway.close();
  }
} finally {
  locked.close();
  rmSync(folder, { recursive: true, force: true });
}

/**
 * Returns a command's output. The gateway keeps retrying the failing server, so a screen that shows it as connecting
 * is captured again.
 * @param {string} typed @param {(typeof screens)[number]['steps']} steps
 */
async function capture(typed, steps) {
  for (let attempt = 1; ; attempt++) {
    const { status, text } = await runOnTerminal([process.execPath, main, ...typed.split(' ')], {
      ...{ cwd: folder, env, ...size, withinMs: 20_000 },
      ...(steps === undefined ? {} : { steps }),
    });
    if (status !== 0) throw new Error(`${typed} ended with ${status}:\n${text}`);
    if (!text.includes('connecting') || attempt === MAX_CAPTURES) return text;
    await delay(100);
  }
}

/** Returns an environment without the user's settings. @param {NodeJS.ProcessEnv} own @returns {NodeJS.ProcessEnv} */
function environmentFor(own) {
  const isForeign = (/** @type {string} */ name) =>
    /^(WRAPPER_|MCP_WRAPPER|CODEX_|XDG_|DEBUG$|NO_COLOR$|FORCE_COLOR$)/.test(name) ||
    (name.startsWith('SWITCHBOARD_') && !name.endsWith('MARK'));
  const home = join(folder, 'home');
  return {
    ...Object.fromEntries(Object.entries(own).filter(([name]) => !isForeign(name))),
    ...{ SWITCHBOARD_HOME: home, HOME: home, CODEX_HOME: home, TZ: 'UTC', LANG: 'C.UTF-8', TERM: 'xterm' },
    PATH: [dirname(process.execPath), own['PATH'] ?? ''].join(delimiter),
  };
}

/** Adds three working servers, one that requires a sign-in, and one whose command does not exist. */
async function addServers() {
  locked.listen(0, '127.0.0.1');
  await once(locked, 'listening');
  const address = locked.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  symlinkSync(join(root, 'examples'), join(folder, 'examples'));
  const official = (/** @type {string} */ name) => `node_modules/@modelcontextprotocol/server-${name}/dist/index.js`;
  const add = (/** @type {string[]} */ ...args) =>
    execFileSync(process.execPath, [main, 'mcp', 'add', ...args], { cwd: folder, env, stdio: 'pipe' });
  add('files', '--', 'node', official('filesystem'), '.');
  add('demo', '--', 'node', official('everything'));
  add('deploy', '--', 'node', 'examples/deploy.mjs');
  add('notes', `http://127.0.0.1:${port}/mcp`);
  add('search', '--', 'search-server', '--port', '0');
}

/** A server that rejects every request with a sign-in challenge. @type {import('node:http').RequestListener} */
function wantSignIn({ url = '', headers: { host } }, response) {
  const issuer = `http://${host}`;
  if (!url.startsWith('/.well-known/')) {
    const place = `${issuer}/.well-known/oauth-protected-resource`;
    return void response.writeHead(401, { 'www-authenticate': `Bearer resource_metadata="${place}"` }).end();
  }
  const document = {
    ...{ resource: `${issuer}/mcp`, authorization_servers: [issuer], issuer },
    ...{ authorization_endpoint: `${issuer}/authorize`, token_endpoint: `${issuer}/token` },
    ...{ response_types_supported: ['code'], code_challenge_methods_supported: ['S256'] },
  };
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(document));
}

/** Opens a gateway with a client that calls a few tools, and waits until every server has reached its final state. */
async function openGateway() {
  const gateway = spawn(process.execPath, [main, 'gateway'], { cwd: folder, env, stdio: ['pipe', 'pipe', 'ignore'] });
  let answers = '';
  gateway.stdout.setEncoding('utf8').on('data', (/** @type {string} */ piece) => {
    answers += piece;
  });
  let id = 0;
  const ask = async (/** @type {string} */ method, /** @type {object} */ params) => {
    gateway.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: ++id, method, params })}\n`);
    await until(
      () => answers.includes(`"id":${id},`) || answers.includes(`"id":${id}}`),
      () => method,
    );
  };
  const call = (/** @type {string} */ name, /** @type {object} */ args) => ask('tools/call', { name, arguments: args });
  await ask('initialize', {
    protocolVersion: '2025-11-25',
    capabilities: { elicitation: {} },
    clientInfo: { name: 'agent', version: '1.0' },
  });
  gateway.stdin.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n');
  for (const message of ['one', 'two', 'three']) await call('demo__echo', { message });
  await call('files__list_allowed_directories', {});
  const wanted = 'ready ready ready auth_required error';
  await until(
    () => states() === wanted,
    () => `the states "${wanted}"; they are "${states()}"`,
  );
  return {
    async close() {
      gateway.stdin.end();
      const stop = setTimeout(() => gateway.kill('SIGKILL'), 10_000);
      if (gateway.exitCode === null) await once(gateway, 'close');
      clearTimeout(stop);
    },
  };
}

function states() {
  const answer = execFileSync(process.execPath, [main, 'mcp', 'status', '--json'], { cwd: folder, env, stdio: 'pipe' });
  const { running } = JSON.parse(answer.toString());
  return running[0].servers.map((/** @type {{ state: string }} */ { state }) => state).join(' ');
}

/** @param {() => boolean} isDone @param {() => string} what */
async function until(isDone, what) {
  for (const end = performance.now() + 20_000; !isDone(); await delay(50))
    if (performance.now() > end) throw new Error(`Timed out after 20 s, waiting for ${what()}.`);
}

/** Replaces values that differ between runs with fixed ones. Values in tables keep their length. */
function createSettler() {
  /** @type {Map<string, string>} */
  const pids = new Map();
  return (/** @type {string} */ shown) =>
    shown
      .replaceAll(folder, '/home/me/notes')
      .replaceAll(/127\.0\.0\.1:\d{5}/g, '127.0.0.1:48000')
      .replaceAll(/\bpid (\d+)/g, (_, pid) => {
        pids.set(pid, pids.get(pid) ?? String(4711 + pids.size));
        return `pid ${pids.get(pid)}`;
      })
      .replaceAll(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d \([^)]*\)/g, '2026-11-16 09:30:00 (2 min ago)')
      .replaceAll(/ up (under a minute|\d+ min) /g, ' up 2 min ')
      .replaceAll(/[\d.]+ m?s(?=(\p{Cc}\[K)?\r*\n)/gu, '2 ms');
}
