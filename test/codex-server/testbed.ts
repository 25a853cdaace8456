import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { vi } from 'vitest';
import { type CodexRelease, findCodex } from '../codex/codex-binary.ts';
import { type CodexHome, createCodexHome } from '../codex/home.ts';
import { isObject, type JsonObject } from '../codex/json.ts';
import { readJsonLines } from '../codex/json-lines.ts';
import { type Model, openModel } from '../codex/model.ts';
import { openPendingPromises } from '../codex/pending-promises.ts';
import type { ProcessTracker } from '../processes.ts';

// Most tests run several turns of a real Codex, each of which takes seconds on a slow machine.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const main = join(import.meta.dirname, '..', '..', 'dist', 'cli', 'main.js');
const MAX_WAIT_MS = 30_000;

type HomeOptions = Omit<Parameters<typeof createCodexHome>[0], 'modelUrl'>;

/** A scripted model, a Codex that uses only this model, and any number of codex servers. */
export interface Testbed {
  readonly model: Model;
  readonly home: CodexHome;
  /** Starts `switchboard codex` and sends `initialize`. */
  serve(options?: ServeOptions): Promise<CodexClient>;
  /** The environment of the server, for tests that start it themselves. */
  env(extra?: Readonly<Record<string, string>>): Record<string, string>;
  /** The command and arguments of `switchboard codex`. */
  command(...args: string[]): readonly [string, ...string[]];
  [Symbol.asyncDispose](): Promise<void>;
}

export interface ServeOptions {
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly capabilities?: JsonObject;
  readonly clientInfo?: JsonObject;
  readonly cwd?: string;
  /** Answers server requests such as elicitations. Without it, they get an error. */
  readonly onRequest?: (method: string, params: JsonObject) => unknown;
}

export async function openTestbed(processes: ProcessTracker, options: HomeOptions = {}): Promise<Testbed> {
  const model = await openModel();
  const home = await createCodexHome({ modelUrl: model.url, ...options });
  const clients: CodexClient[] = [];
  const env = (extra = {}) =>
    processes.env({
      // Keeps the user's shell startup files out of the tests.
      HOME: home.rootDir,
      CODEX_CLI_PATH: findCodex(home.release).command,
      CODEX_HOME: home.codexDir,
      ...extra,
    });
  const command = (...args: string[]) => [process.execPath, main, 'codex', ...args] as const;
  return {
    model,
    home,
    env,
    command,
    async serve(serveOptions = {}) {
      const client = await connect(command(...(serveOptions.args ?? [])), env(serveOptions.env), home, serveOptions);
      clients.push(client);
      return client;
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(clients.map((client) => client.close()));
      await model.close();
      await home.remove();
    },
  };
}

/** A raw client of the codex server. */
export interface CodexClient {
  readonly pid: number;
  readonly hello: JsonObject;
  /** All notifications so far, oldest first. */
  readonly notifications: readonly { readonly method: string; readonly params: JsonObject }[];
  /** All requests of the server so far. */
  readonly requests: readonly { readonly method: string; readonly params: JsonObject }[];
  request(method: string, params?: JsonObject): Promise<JsonObject>;
  /** Sends a request that can be cancelled. `answer` never settles after a cancellation. */
  begin(method: string, params: JsonObject): { readonly id: number; readonly answer: Promise<JsonObject> };
  notify(method: string, params?: JsonObject): void;
  /** The structured content of a tool's result. Throws the text of an error. */
  call(name: string, args?: JsonObject): Promise<JsonObject>;
  /** Returns the complete result, even if it is an error. */
  result(name: string, args?: JsonObject): Promise<JsonObject>;
  /** The text of a result that must be an error. */
  failure(name: string, args?: JsonObject): Promise<string>;
  stderr(): string;
  /** Resolves when the server has exited. */
  readonly exited: Promise<{ readonly code: number | null; readonly signal: NodeJS.Signals | null }>;
  kill(signal: NodeJS.Signals): void;
  endInput(): void;
  close(): Promise<void>;
}

async function connect(
  [program, ...args]: readonly [string, ...string[]],
  env: Record<string, string>,
  home: CodexHome,
  { capabilities = {}, clientInfo = { name: 'test', version: '1' }, cwd = home.workDir, onRequest }: ServeOptions,
): Promise<CodexClient> {
  const started = spawn(program, args, { env, cwd, stdio: 'pipe' });
  const notifications: { method: string; params: JsonObject }[] = [];
  const requests: { method: string; params: JsonObject }[] = [];
  const answers = openPendingPromises<number, JsonObject>(110_000);
  let stderr = '';
  let lastId = 0;
  started.stdin.on('error', () => undefined);
  started.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr = (stderr + text).slice(-64 * 1024);
  });
  const exited = once(started, 'exit').then(([code, signal]) => ({ code, signal }));
  const send = (message: JsonObject) => started.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);

  const receive = async ({ id, method, params, ...rest }: JsonObject) => {
    const content = isObject(params) ? params : {};
    if (typeof method !== 'string') return answers.resolve(Number(id), rest);
    if (id === undefined) return notifications.push({ method, params: content });
    requests.push({ method, params: content });
    try {
      if (onRequest === undefined) throw new Error('the test has no request handler');
      send({ id, result: await onRequest(method, content) } as JsonObject);
    } catch (error) {
      send({ id, error: { code: -32000, message: String(error) } });
    }
  };
  const reading = (async () => {
    for await (const message of readJsonLines(started.stdout)) void receive(message);
  })();
  void reading
    .catch(() => undefined)
    .then(async () => {
      await exited;
      answers.close(new Error(`The server has ended. ${stderr}`));
    });

  const begin = (method: string, params: JsonObject) => {
    const id = ++lastId;
    const answer = answers.add(id, `answer to ${method}`);
    answer.catch(() => undefined);
    send({ id, method, params });
    return { id, answer };
  };
  const request = async (method: string, params: JsonObject = {}) => {
    const { result, error } = await begin(method, params).answer;
    if (error !== undefined) throw new Error(JSON.stringify(error));
    return isObject(result) ? result : {};
  };
  const result = (name: string, arguments_: JsonObject = {}) =>
    request('tools/call', { name, arguments: arguments_, _meta: { progressToken: lastId + 1 } });
  const client: Omit<CodexClient, 'hello'> = {
    pid: started.pid ?? 0,
    notifications,
    requests,
    request,
    begin,
    notify: (method, params = {}) => void send({ method, params }),
    result,
    async call(name, args_) {
      const answer = await result(name, args_);
      if (answer['isError'] === true) throw new Error(textOf(answer));
      return isObject(answer['structuredContent']) ? answer['structuredContent'] : {};
    },
    async failure(name, args_) {
      const answer = await result(name, args_);
      if (answer['isError'] !== true) throw new Error(`no error: ${JSON.stringify(answer)}`);
      return textOf(answer);
    },
    stderr: () => stderr,
    exited,
    kill: (signal) => void started.kill(signal),
    endInput: () => void started.stdin.end(),
    async close() {
      started.stdin.end();
      const patience = setTimeout(() => started.kill('SIGKILL'), MAX_WAIT_MS);
      await exited;
      clearTimeout(patience);
    },
  };
  const hello = await request('initialize', { protocolVersion: '2025-06-18', capabilities, clientInfo });
  send({ method: 'notifications/initialized' });
  return { ...client, hello };
}

function textOf({ content }: JsonObject): string {
  const [first] = Array.isArray(content) ? content : [];
  return isObject(first) ? String(first['text']) : '';
}

/** Polls until the condition holds, up to a timeout. */
export async function eventually<T>(
  probe: () => T | undefined | Promise<T | undefined>,
  withinMs = MAX_WAIT_MS,
): Promise<T> {
  const end = Date.now() + withinMs;
  for (;;) {
    const value = await probe();
    if (value !== undefined && value !== false) return value;
    if (Date.now() > end) throw new Error(`timed out after ${withinMs} ms`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** Default arguments of most tests: no git repository required, and a sandbox in which commands may write. */
export const FREE: JsonObject = { skipGitRepoCheck: true, sandbox: 'workspace-write' };
export type { CodexRelease };
