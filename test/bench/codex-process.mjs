// @ts-check
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { connect } from './client.mjs';
import { codexProgram } from './codex-testbed.mjs';
import { finish, processTree, readProcess } from './process.mjs';

/** @typedef {import('./codex-testbed.mjs').CodexHome} CodexHome */

const MAIN = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));
/** The sandbox of every session, on both sides. */
const SANDBOX = 'workspace-write';

/** Starts our server in this home. The first call that needs Codex starts it.
 * @param {CodexHome} home @param {readonly string[]} args */
export function startServer(home, ...args) {
  const started = start(process.execPath, [MAIN, 'codex', ...args], home);
  const client = connect(started);
  const pid = started.pid ?? 0;
  return {
    pid,
    client,
    /** Returns the structured content of a tool's result. @param {string} name @param {object} args */
    async call(name, args) {
      const { result } = await client.request('tools/call', { name, arguments: args });
      if (result?.structuredContent === undefined) throw new Error(`${name}: ${JSON.stringify(result)}`);
      return result.structuredContent;
    },
    /** @param {string} prompt @returns {Promise<string>} the id of a session whose turn is running or has ended */
    async startSession(prompt) {
      const args = { prompt, workingDirectory: home.workDir, sandbox: SANDBOX, skipGitRepoCheck: true };
      const { sessionId, status } = await this.call('codex_start', args);
      // If many sessions start together, a trivial turn may end before the response is written.
      if (status !== 'active' && status !== 'done') throw new Error(`the session is ${status}`);
      return sessionId;
    },
    /** Starts a session through the drop-in, which forwards every delta and responds when the turn ends.
     * @param {string} prompt @returns {Promise<{ sessionId: string, answer: Promise<any> }>} */
    async startDropIn(prompt) {
      const sessionId = new Promise((resolve) =>
        onLine(started, '"session_configured"', ({ params }) => resolve(params._meta.threadId)),
      );
      const args = { prompt, cwd: home.workDir, sandbox: SANDBOX };
      const answer = client.request('tools/call', { name: 'codex', arguments: args });
      return { sessionId: await sessionId, answer };
    },
    /** Waits until all are done. @param {readonly string[]} sessionIds */
    async waitForAll(sessionIds) {
      const { sessions } = await this.call('codex_wait', { sessionIds });
      for (const { status, error } of sessions)
        if (status !== 'done') throw new Error(`a session is ${status}: ${JSON.stringify(error)}`);
    },
    /** Resident MiB of our processes: the server and its descendants, without Codex. */
    residentMib: () => treeMib(pid, isNotCodex),
    close: () => finish(started),
  };
}

/** Starts `codex app-server` in this home, to measure it directly. @param {CodexHome} home */
export async function openAppServer(home) {
  const started = start(codexProgram ?? '', ['app-server'], home);
  const client = connect(started);
  /** @type {Map<string, () => void>} */
  const turns = new Map();
  onLine(started, '"turn/completed"', ({ params: { turn } }) => {
    if (turn.status === 'completed') turns.get(turn.id)?.();
  });
  const clientInfo = { name: 'bench', title: null, version: '1' };
  const capabilities = { experimentalApi: true, requestAttestation: false };
  await client.request('initialize', { clientInfo, capabilities });
  started.stdin?.write('{"method":"initialized"}\n');
  return {
    /** Starts a thread and a turn. Returns a promise for the end of the turn. @param {string} prompt */
    async startTurn(prompt) {
      const thread = await client.request('thread/start', { cwd: home.workDir, sandbox: SANDBOX });
      const input = [{ type: 'text', text: prompt, text_elements: [] }];
      const { result } = await client.request('turn/start', { threadId: thread.result.thread.id, input });
      const completed = new Promise((resolve) => turns.set(result.turn.id, () => resolve(undefined)));
      return { completed };
    },
    close: () => finish(started),
  };
}

/** Starts `codex exec` in this home. @param {CodexHome} home @param {string} prompt */
export function startExec(home, prompt) {
  const args = ['exec', '--json', '--skip-git-repo-check', '-s', SANDBOX, '-C', home.workDir, prompt];
  const started = start(codexProgram ?? '', args, home);
  // Codex would read an open stdin as part of the prompt.
  started.stdin.end();
  return started;
}

/** @param {string} command @param {readonly string[]} args @param {CodexHome} home */
function start(command, args, { env, workDir }) {
  return spawn(command, args, { env, cwd: workDir, stdio: ['pipe', 'pipe', 'ignore'] });
}

/** Calls the listener for every message that contains this text.
 * @param {import('node:child_process').ChildProcess} server @param {string} text @param {(message: any) => void} listener */
function onLine(server, text, listener) {
  let rest = '';
  server.stdout?.on('data', (chunk) => {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) if (line.includes(text)) listener(JSON.parse(line));
  });
}

/** Returns the resident MiB of a process and its descendants that `isCounted` includes.
 * @param {number} root @param {(pid: number) => boolean} [isCounted] */
export function treeMib(root, isCounted) {
  return processTree(root, isCounted).reduce((total, pid) => total + mib(pid), 0);
}

/** @param {number} pid */
function isNotCodex(pid) {
  return readProcess(pid, 'cmdline').split('\0')[0] !== codexProgram;
}

/** @param {number} pid */
function mib(pid) {
  return Number(/VmRSS:\s+(\d+)/.exec(readProcess(pid, 'status'))?.[1] ?? 0) / 1024;
}
