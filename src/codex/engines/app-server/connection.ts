import { AppError, isAppError } from '../../../base/errors.ts';
import { describeExit } from '../../../base/process/describe-exit.ts';
import { whenLastOutputRead } from '../../../base/process/drained.ts';
import { findErrorLine } from '../../../base/process/error-line.ts';
import type { Processes } from '../../../base/process/processes.ts';
import { sendSignal } from '../../../base/process/signal.ts';
import type { SpawnedProcess } from '../../../base/process/spawn.ts';
import { oneLine } from '../../../base/text/safe-text.ts';
import { SWITCHBOARD_INFO as clientInfo } from '../../../base/version.ts';
import { frameText } from '../../../wire/frame.ts';
import { wellFormedJson } from '../../../wire/json/well-formed-json.ts';
import { isObject, type JsonObject } from '../../../wire/messages.ts';
import type { IncomingRequest } from '../../../wire/rpc/incoming-requests.ts';
import { createPeer, type Peer } from '../../../wire/rpc/peer.ts';
import { openStreamChannel } from '../../../wire/stream/stream-channel.ts';
import { type CodexVersion, parseCodexVersion } from '../../locate/codex-version.ts';
import type { ClientMethod } from './protocol/methods.ts';

/** A running app-server after the handshake. */
export interface AppServerConnection {
  readonly version: CodexVersion | undefined;
  readonly pid: number;
  /** An environment entry that every process started by it inherits. */
  readonly mark: string;
  readonly depth: number;
  request(method: ClientMethod, params: JsonObject, options?: { readonly timeoutMs?: number }): Promise<JsonObject>;
  /** Kills an unresponsive app-server at once, with everything that it started. The receiver gets `crashed`. */
  kill(reason: AppError): Promise<void>;
  /** Ends the app-server and everything that it started. May be called twice, never throws. */
  close(): Promise<void>;
}

export interface ConnectionReceiver {
  notification(method: string, params: JsonObject): void;
  /** The returned value or the thrown error is the response. */
  request(request: IncomingRequest): unknown;
  /** Called once, if the app-server exits without having been closed. */
  crashed(reason: AppError): void;
}

export interface ConnectionOptions {
  readonly processes: Processes;
  readonly program: {
    readonly command: string;
    readonly args: readonly string[];
    readonly env: Readonly<Record<string, string | undefined>>;
    /** How many Switchboard processes are above it, including this one. */
    readonly depth: number;
  };
  readonly cwd: string;
  /** Notifications that Codex should not send. */
  readonly optOut: readonly string[];
  readonly log: { debug(text: string): void };
  /** Aborts when the connection is no longer needed, possibly before the handshake is complete. */
  readonly signal?: AbortSignal;
  /** The timeout of the handshake. */
  readonly handshakeTimeoutMs?: number;
}

/** Allows for a cold machine, an antivirus, or a shim on a network drive: Codex itself needs a tenth of a second. */
const HANDSHAKE_TIMEOUT_MS = 30_000;
/** Codex responds within milliseconds, or it hangs. */
const REQUEST_TIMEOUT_MS = 10_000;
/** How long Codex keeps a session after `thread/unsubscribe`. Its default is half an hour. */
const UNLOAD_SECONDS = 10;
/** A turn's diff or a stored session may be large. */
const MAX_MESSAGE_BYTES = 256 * 1024 * 1024;

/** Starts `codex app-server`. This process holds its stdin, so it exits whenever this process does. */
export async function openConnection(
  options: ConnectionOptions,
  receiver: ConnectionReceiver,
): Promise<AppServerConnection> {
  const { processes, program, cwd, log, handshakeTimeoutMs = HANDSHAKE_TIMEOUT_MS } = options;
  const running = await processes.spawn({
    command: program.command,
    args: [...program.args, '-c', `thread_unload_delay_secs=${UNLOAD_SECONDS}`, 'app-server'],
    env: program.env,
    cwd,
    onStderrLine: (line) => log.debug(`codex app-server: ${line}`),
  });
  let isClosing = false;
  let isReady = false;
  let killReason: AppError | undefined;

  const peer: Peer = createPeer({
    // Makes the text of any caller readable for Codex.
    send: (text) => channel.send(wellFormedJson(text)),
    onRequest: (request) => receiver.request(request),
    onNotification: (method, params) => receiver.notification(method, isObject(params) ? params : {}),
    onInvalidMessage: (error) => log.debug(`codex app-server wrote a line that is not a message: ${error.message}`),
  });
  const channel = openStreamChannel(
    {
      input: running.stdout,
      output: running.stdin,
      framing: 'ndjson',
      readsAlways: true,
      maxMessageBytes: MAX_MESSAGE_BYTES,
    },
    {
      frame: (frame) => peer.receive(frameText(frame)),
      reportError: (error) => log.debug(`codex app-server: ${error.message}`),
      end: () => void handleExit(),
    },
  );

  const handleExit = async () => {
    if (isClosing) return;
    isClosing = true;
    // The app-server has closed its pipe. Make sure that it exits, with everything that it started.
    const stopped = running.stop('fell');
    const reason = killReason ?? (await toExitError(running));
    peer.close(reason);
    // Report the exit at once, while the remaining processes are still being stopped.
    if (isReady) receiver.crashed(reason);
    await stopped;
  };
  void whenLastOutputRead(running).then(handleExit);

  const kill = async (reason: AppError) => {
    killReason ??= reason;
    // A process that is stopped (SIGSTOP) does not react to any other signal.
    sendSignal(running.pid, 'SIGKILL');
    await running.exited;
    await handleExit();
    await running.treeExited;
  };

  const close = async () => {
    if (!isClosing) {
      isClosing = true;
      peer.close(new AppError('CONNECTION_CLOSED', 'Codex was closed.'));
      channel.stop();
    }
    await running.stop('closed');
  };

  const request = async (method: ClientMethod, params: JsonObject, timeoutMs = REQUEST_TIMEOUT_MS) => {
    const result = await peer.request(method, params, { timeoutMs }).catch((error) => {
      throw isAppError(error) && error.code === 'TIMED_OUT' ? requestTimedOut(method, timeoutMs) : error;
    });
    return isObject(result) ? result : {};
  };

  options.signal?.addEventListener('abort', () => void close(), { once: true });
  try {
    const capabilities = {
      experimentalApi: true,
      requestAttestation: false,
      optOutNotificationMethods: options.optOut,
    };
    const initializeResult = await request('initialize', { clientInfo, capabilities }, handshakeTimeoutMs);
    peer.notify('initialized');
    isReady = true;
    const version = parseCodexVersion(String(initializeResult['userAgent'] ?? ''));
    return {
      version,
      pid: running.pid,
      mark: running.mark,
      depth: program.depth,
      request: (method, params, limits) => request(method, params, limits?.timeoutMs),
      kill,
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

function requestTimedOut(method: string, timeoutMs: number): AppError {
  const text = `Codex did not answer ${method} within ${timeoutMs / 1000} s. Try again: an unresponsive Codex is restarted.`;
  return new AppError('TIMED_OUT', text, { data: { method } });
}

/** Creates the error for an exit. Ignores stderr after a kill, because its lines are then about something else. */
async function toExitError(running: SpawnedProcess): Promise<AppError> {
  const { code, signal } = await running.exited;
  const stderrLine = signal === null ? findErrorLine(running.stderrTail()) : undefined;
  const message = `Codex (codex app-server) ${describeExit({ code, signal })}${stderrLine === undefined ? '.' : `: ${oneLine(stderrLine, MAX_STDERR_CHARS)}`}`;
  return new AppError('PROCESS_EXITED', message, { data: { code, signal } });
}

const MAX_STDERR_CHARS = 500;
