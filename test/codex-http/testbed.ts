import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterAll, beforeAll } from 'vitest';
import { isObject, type JsonObject } from '../codex/json.ts';
import { script } from '../codex/script.ts';
import type { Step } from '../codex/steps.ts';
import { withoutShellSnapshot } from '../codex-server/flow-testbed.ts';
import { eventually, FREE, openTestbed, type Testbed } from '../codex-server/testbed.ts';
import { type Run, run } from '../gateway/run-cli.ts';
import { RawClient } from '../gateway-http/raw-client.ts';
import { createProcessTracker } from '../processes.ts';

/** A scripted model, a real Codex, and any number of `switchboard codex --http` that share the files of one user. */
export interface HttpTestbed extends Pick<Testbed, 'model' | 'home'> {
  /** Of every program of this user. */
  readonly env: Readonly<Record<string, string>>;
  serve(options?: ServeOptions): Promise<HttpCodex>;
  /** Runs another command of this user. */
  cli(...args: readonly string[]): Promise<Run>;
  /** Creates a token and returns its text. */
  token(name: string, ...args: readonly string[]): Promise<string>;
}

interface ServeOptions {
  readonly args?: readonly string[];
  readonly port?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** A running server. */
export interface HttpCodex {
  readonly url: string;
  readonly pid: number;
  readonly exited: Promise<{ readonly code: number | null; readonly signal: NodeJS.Signals | null }>;
  stderr(): string;
  /** Sends the signal and waits for the exit. */
  kill(signal: NodeJS.Signals): Promise<number | null>;
  /** A client with this token, before `initialize`. */
  client(era: 'legacy' | 'modern', token?: string): RawClient;
  /** A legacy client after `initialize`. */
  connect(token?: string, capabilities?: JsonObject): Promise<RawClient>;
}

/** One testbed for all tests of a file. At its end, no process may be left running. */
export function shareHttpTestbed(): () => HttpTestbed {
  const processes = createProcessTracker();
  const running = new Set<HttpCodex>();
  let inner: Testbed | undefined;
  let opened: HttpTestbed | undefined;
  beforeAll(async () => {
    inner = await openTestbed(processes, withoutShellSnapshot({}));
    opened = toHttpTestbed(inner, running);
  });
  afterAll(async () => {
    await Promise.all([...running].map((server) => server.kill('SIGTERM')));
    await inner?.[Symbol.asyncDispose]();
    await processes.assertAllGone({ withinMs: 20_000 });
  });
  return () => {
    if (opened === undefined) throw new Error('The testbed is not open. Use it inside a test.');
    return opened;
  };
}

function toHttpTestbed({ model, home, env: newEnv, command }: Testbed, running: Set<HttpCodex>): HttpTestbed {
  const env = newEnv();
  const cli = (...args: readonly string[]) => run(args, { env, cwd: home.workDir });
  return {
    model,
    home,
    env,
    cli,
    async token(name, ...args) {
      const { stdout, stderr } = await cli('token', 'create', name, ...args);
      const [text] = /swb_\w+/.exec(stdout) ?? [];
      if (text === undefined) throw new Error(stdout + stderr);
      return text;
    },
    async serve({ args = [], port = '0', env: extra = {} } = {}) {
      const [program, ...rest] = command('--http', port, ...args);
      const server = await start(program, rest, { env: { ...env, ...extra }, cwd: home.workDir });
      running.add(server);
      void server.exited.then(() => running.delete(server));
      return server;
    },
  };
}

async function start(
  program: string,
  args: readonly string[],
  options: { readonly env: Record<string, string>; readonly cwd: string },
): Promise<HttpCodex> {
  const started = spawn(program, args, { ...options, stdio: ['ignore', 'ignore', 'pipe'] });
  let stderr = '';
  started.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const exited = once(started, 'exit').then(([code, signal]) => ({ code, signal }));
  let hasExited = false;
  void exited.then(() => {
    hasExited = true;
  });
  const url = await eventually(() => {
    if (hasExited) throw new Error(stderr);
    return /Listening on (\S+)\./.exec(stderr)?.[1];
  });
  const client = (era: 'legacy' | 'modern', token?: string) => {
    const created = new RawClient(url, era);
    if (token !== undefined) created.headers = { authorization: `Bearer ${token}` };
    return created;
  };
  return {
    url,
    pid: started.pid ?? 0,
    exited,
    stderr: () => stderr,
    async kill(signal) {
      started.kill(signal);
      return (await exited).code;
    },
    client,
    async connect(token, capabilities = {}) {
      const connected = client('legacy', token);
      await connected.initialize(capabilities);
      return connected;
    },
  };
}

/** Calls a tool. Returns its structured content, or the text of its error under `error`. */
export async function call(client: RawClient, name: string, args: JsonObject = {}): Promise<JsonObject> {
  return contentOf(await client.call(name, args));
}

export function contentOf({ result, error }: Awaited<ReturnType<RawClient['call']>>): JsonObject {
  if (!isObject(result)) throw new Error(JSON.stringify(error));
  const { structuredContent, content, isError } = result;
  const [first] = Array.isArray(content) ? content : [];
  if (isError === true) return { error: String(first?.['text']) };
  return isObject(structuredContent) ? structuredContent : {};
}

/** Starts a session that plays these steps, and returns its id. */
export async function startSession(client: RawClient, steps: readonly Step[], args: JsonObject = {}): Promise<string> {
  const { sessionId, error } = await call(client, 'codex_start', { ...FREE, ...args, prompt: script(steps) });
  if (typeof sessionId !== 'string') throw new Error(String(error));
  return sessionId;
}

/** Waits until the session is done or needs an answer, and returns its status. */
export async function settled(client: RawClient, sessionId: string): Promise<JsonObject> {
  await call(client, 'codex_wait', { sessionIds: [sessionId], timeoutSeconds: 50 });
  return call(client, 'codex_status', { sessionId });
}
