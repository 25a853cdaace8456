import { AppError, isAppError } from '../../../base/errors.ts';
import { findErrorLine } from '../../../base/process/error-line.ts';
import type { Processes } from '../../../base/process/processes.ts';
import { sendSignal } from '../../../base/process/signal.ts';
import type { SpawnedProcess } from '../../../base/process/spawn.ts';
import { oneLine } from '../../../base/text/safe-text.ts';
import { VERSION } from '../../../base/version.ts';
import { frameText } from '../../../wire/frame.ts';
import { wellFormedJson } from '../../../wire/json/well-formed-json.ts';
import { isObject } from '../../../wire/messages.ts';
import type { IncomingRequest } from '../../../wire/rpc/incoming-requests.ts';
import { createPeer, type Peer } from '../../../wire/rpc/peer.ts';
import { openStreamChannel } from '../../../wire/stream/stream-channel.ts';
import { type CodexVersion, parseCodexVersion } from '../../locate/codex-version.ts';
import type { ClientMethod } from './protocol/methods.ts';

type Members = Readonly<Record<string, unknown>>;

/** One running app-server, past the handshake. */
export interface AppServerConnection {
  readonly version: CodexVersion | undefined;
  readonly pid: number;
  /** In the environment of everything that it starts. */
  readonly mark: string;
  readonly depth: number;
  request(method: ClientMethod, params: Members, options?: { readonly timeoutMs?: number }): Promise<Members>;
  /** Kills it at once, with everything it started, for one that no longer reacts. The receiver is told that it fell. */
  kill(reason: AppError): Promise<void>;
  /** Ends it and everything it started. May be called twice, never throws. */
  close(): Promise<void>;
}

export interface ConnectionReceiver {
  notification(method: string, params: Members): void;
  /** What it returns or throws is the answer. */
  request(request: IncomingRequest): unknown;
  /** Called once, when it ended and nobody had asked for that. */
  crashed(reason: AppError): void;
}

export interface ConnectionOptions {
  readonly processes: Processes;
  readonly program: {
    readonly command: string;
    readonly args: readonly string[];
    readonly env: Readonly<Record<string, string | undefined>>;
    /** How many switchboards stand above it, ourselves included. */
    readonly depth: number;
  };
  readonly cwd: string;
  /** Notifications that nobody will look at. */
  readonly optOut: readonly string[];
  readonly log: { debug(text: string): void };
  /** Aborted when nobody wants it any more, although it may not have said hello yet. */
  readonly signal?: AbortSignal;
  /** How long it may take to say hello. */
  readonly handshakeTimeoutMs?: number;
}

/** A cold machine, an antivirus, a shim that is loaded from a network: Codex itself needs a tenth of a second. */
const HANDSHAKE_TIMEOUT_MS = 30_000;
/** Codex answers in milliseconds, or it hangs. */
const REQUEST_TIMEOUT_MS = 10_000;
/** How long Codex keeps a session of which we have let go; by itself it would be half an hour. */
const UNLOAD_SECONDS = 10;
/** A turn's diff or a stored session may be large. */
const MAX_MESSAGE_BYTES = 256 * 1024 * 1024;

/** Starts `codex app-server`. Its stdin is ours: it ends when we do, however that comes about. */
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
    // The border of the engine: whatever text a caller gave, Codex can read it.
    send: (text) => channel.send(wellFormedJson(text)),
    onRequest: (request) => receiver.request(request),
    onNotification: (method, params) => receiver.notification(method, isObject(params) ? params : {}),
    onInvalidMessage: (error) => log.debug(`codex app-server wrote a line that is no message: ${error.message}`),
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
    // It has closed its pipe; now it must be gone as well, with all that it started.
    const stopped = running.stop('fell');
    const reason = killReason ?? (await toExitError(running));
    peer.close(reason);
    // It has exited: whoever waits for it is told at once, while what it started is still being ended.
    if (isReady) receiver.crashed(reason);
    await stopped;
  };
  void running.exited.then(handleExit);

  const kill = async (reason: AppError) => {
    killReason ??= reason;
    // A process that is stopped (SIGSTOP) hears nothing else.
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

  const request = async (method: ClientMethod, params: Members, timeoutMs = REQUEST_TIMEOUT_MS): Promise<Members> => {
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
    const initializeResult = await request('initialize', { clientInfo: CLIENT_INFO, capabilities }, handshakeTimeoutMs);
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

const CLIENT_INFO = { name: 'switchboard', title: 'Switchboard', version: VERSION };

function requestTimedOut(method: string, timeoutMs: number): AppError {
  const text = `Codex did not answer ${method} within ${timeoutMs / 1000} s. Try again: a Codex that does not react at all is replaced.`;
  return new AppError('TIMED_OUT', text, { data: { method } });
}

/** Whoever was killed had nothing to say about it: what stands on stderr then is about something else. */
async function toExitError(running: SpawnedProcess): Promise<AppError> {
  const { code, signal } = await running.exited;
  const stderrLine = signal === null ? findErrorLine(running.stderrTail()) : undefined;
  const how = signal === null ? `ended with exit code ${code}` : `was ended by ${signal}`;
  const message = `Codex (codex app-server) ${how}${stderrLine === undefined ? '.' : `: ${oneLine(stderrLine, MAX_STDERR_CHARS)}`}`;
  return new AppError('PROCESS_EXITED', message, { data: { code, signal } });
}

const MAX_STDERR_CHARS = 500;
