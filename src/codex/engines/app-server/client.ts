import { AppError, isAppError } from '../../../base/errors.ts';
import type { JsonObject } from '../../../wire/messages.ts';
import { isAtLeast } from '../../locate/codex-version.ts';
import { type AppServerProcess, createAppServerProcess, type OpenAppServer } from './app-server-process.ts';
import type { AppServerConnection } from './connection.ts';
import { explainUnknownMethod, toSessionError } from './protocol/failures.ts';
import type { ClientMethod } from './protocol/methods.ts';

/** A slow request may be legitimate, but a Codex that does not even respond to a probe is stuck. */
const PROBE_AFTER_MS = 5_000;
const PROBE_TIMEOUT_MS = 4_000;

/** Sends requests to the app-server. Starts it for the first request, and kills it if it does not respond. */
export class AppServerClient {
  readonly #process: AppServerProcess;
  #requestsInFlight = 0;

  constructor(open: OpenAppServer) {
    this.#process = createAppServerProcess(open);
  }

  /** Returns the running app-server, or starts one. */
  connect(): Promise<AppServerConnection> {
    return this.#process.connect();
  }

  /** The running app-server, if there is one. */
  get connection(): AppServerConnection | undefined {
    return this.#process.current();
  }

  /** 0.92 is old, 0.150 is not; the versions between are untested. */
  get isOld(): boolean {
    const version = this.connection?.version;
    return version !== undefined && !isAtLeast(version, 150);
  }

  get hasRequestsInFlight(): boolean {
    return this.#requestsInFlight > 0;
  }

  async request(method: ClientMethod, params: JsonObject, timeoutMs?: number): Promise<JsonObject> {
    const connection = await this.connect();
    this.#requestsInFlight++;
    const probeTimer = setTimeout(() => void this.killIfUnresponsive(PROBE_TIMEOUT_MS), PROBE_AFTER_MS).unref();
    try {
      return await connection.request(method, params, timeoutMs === undefined ? {} : { timeoutMs });
    } catch (error) {
      throw explainUnknownMethod(error, method, connection.version);
    } finally {
      clearTimeout(probeTimer);
      this.#requestsInFlight--;
    }
  }

  /** Sends a request about one session, and translates its errors. */
  async requestForSession(
    sessionId: string,
    method: ClientMethod,
    params: JsonObject,
    timeoutMs?: number,
  ): Promise<JsonObject> {
    try {
      return await this.request(method, { threadId: sessionId, ...params }, timeoutMs);
    } catch (error) {
      throw toSessionError(error, sessionId);
    }
  }

  /** Kills an app-server that does not respond in time; with a timeout of 0 in any case. Returns whether it did. */
  async killIfUnresponsive(withinMs: number): Promise<boolean> {
    const { connection } = this;
    if (
      connection === undefined ||
      (withinMs > 0 && (await responds(connection, withinMs))) ||
      connection !== this.connection
    )
      return false;
    const text = `Codex (codex app-server, process ${connection.pid}) did not respond and was killed, with every process that it had started.`;
    await connection.kill(new AppError('PROCESS_EXITED', text, { data: { pid: connection.pid } }));
    return true;
  }

  /** Stops the running app-server on purpose. The next request starts another. */
  stop(): Promise<void> {
    return this.#process.stop();
  }

  close(): Promise<void> {
    return this.#process.close();
  }
}

/** Returns whether Codex responds at all. An error counts as a response. */
async function responds(connection: AppServerConnection, withinMs: number): Promise<boolean> {
  try {
    await connection.request('thread/loaded/list', { limit: 1 }, { timeoutMs: withinMs });
    return true;
  } catch (error) {
    return !isAppError(error) || error.code !== 'TIMED_OUT';
  }
}
