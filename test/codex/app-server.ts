import { type CodexProcess, startCodex } from './codex-process.ts';
import type { CodexHome } from './home.ts';
import { isObject, type JsonObject } from './json.ts';
import { readJsonLines } from './json-lines.ts';
import { openPendingPromises } from './pending-promises.ts';

type Notification = { readonly method: string; readonly params: JsonObject };

/** Returns the result for a request from Codex. An exception becomes an error response. */
type Answer = (method: string, params: JsonObject) => JsonObject | Promise<JsonObject>;

/** A client of the real `codex app-server`, already past the handshake. */
export type AppServer = {
  /** Rejects if Codex returns an error, exits, or does not respond in time. */
  request(method: string, params: JsonObject): Promise<JsonObject>;
  /** All notifications so far, oldest first. */
  readonly notifications: readonly Notification[];
  /** Resolves with the first matching notification, including past ones. Rejects after a timeout. */
  waitFor(method: string, accept?: (params: JsonObject) => boolean): Promise<Notification>;
  /** Until this is called, requests get an error, which Codex treats as a refusal. */
  onRequest(answer: Answer): void;
  /** Ends Codex and everything it started. May be called twice. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
};

type Accept = (notification: Notification) => boolean;

const MAX_WAIT_MS = 30_000;
const MAX_EXIT_MS = 20_000;
const MAX_NOTIFICATIONS = 10_000;
const CLIENT_INFO = { name: 'bench', title: 'Test bench', version: '1.0.0' };

export async function openAppServer(options: {
  readonly home: CodexHome;
  /** Enables Codex's experimental methods and fields. */
  readonly experimentalApi?: boolean;
}): Promise<AppServer> {
  const codex = await startCodex({ home: options.home, args: ['app-server'] });
  const server = connect(codex);
  try {
    const capabilities = { experimentalApi: options.experimentalApi ?? false, requestAttestation: false };
    await server.request('initialize', { clientInfo: CLIENT_INFO, capabilities });
    server.notify('initialized');
    return server;
  } catch (error) {
    await server.close();
    throw error;
  }
}

function connect(codex: CodexProcess): AppServer & { notify(method: string): void } {
  const notifications: Notification[] = [];
  const results = openPendingPromises<number, JsonObject>(MAX_WAIT_MS);
  const events = openPendingPromises<Accept, Notification>(MAX_WAIT_MS);
  let lastId = 0;
  let answer: Answer = (method) => {
    throw new Error(`no handler for ${method}`);
  };

  function receive({ id, method, params, result, error }: JsonObject): void {
    const content = isObject(params) ? params : {};
    if (typeof method === 'string' && id === undefined) record({ method, params: content });
    else if (typeof method === 'string') void reply(id, { method, params: content });
    else if (error === undefined) results.resolve(Number(id), isObject(result) ? result : {});
    else results.reject(Number(id), new Error(`codex app-server refuses: ${JSON.stringify(error)}`));
  }

  function record(notification: Notification): void {
    if (notifications.length === MAX_NOTIFICATIONS) throw new Error(`more than ${MAX_NOTIFICATIONS} notifications`);
    notifications.push(notification);
    for (const accept of events.keys()) if (accept(notification)) events.resolve(accept, notification);
  }

  async function reply(id: unknown, question: Notification): Promise<void> {
    try {
      send({ id, result: await answer(question.method, question.params) });
    } catch (error) {
      send({ id, error: { code: -32000, message: String(error) } });
    }
  }

  function send(message: JsonObject): void {
    codex.stdin.write(`${JSON.stringify(message)}\n`);
  }

  function stopWaiting(reason: Error): void {
    results.close(reason);
    events.close(reason);
  }

  async function close(): Promise<void> {
    stopWaiting(new Error('the client of codex app-server was closed'));
    await endCodex(codex);
  }

  readAll(codex, receive).catch(stopWaiting);
  return {
    notifications,
    request(method, params) {
      lastId += 1;
      const result = results.add(lastId, `answer to ${method}`);
      send({ id: lastId, method, params });
      return result;
    },
    notify: (method) => send({ method }),
    waitFor(method, accept = () => true) {
      const isMeant: Accept = (candidate) => candidate.method === method && accept(candidate.params);
      const past = notifications.find(isMeant);
      return past === undefined ? events.add(isMeant, method) : Promise.resolve(past);
    },
    onRequest(handler) {
      answer = handler;
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

async function readAll(codex: CodexProcess, receive: (message: JsonObject) => void): Promise<void> {
  for await (const message of readJsonLines(codex.stdout)) receive(message);
  throw new Error(`codex app-server has ended. ${codex.stderr()}`);
}

/** Closing stdin makes app-server exit. It is killed only if it does not. */
async function endCodex(codex: CodexProcess): Promise<void> {
  codex.stdin.end();
  const patience = setTimeout(() => void codex.kill().catch(() => undefined), MAX_EXIT_MS);
  await codex.exited;
  clearTimeout(patience);
  await codex.kill();
}
