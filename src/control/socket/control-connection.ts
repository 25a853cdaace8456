import type { Socket } from 'node:net';
import { AppError, toAppError } from '../../base/errors.ts';
import { type Frame, frameText } from '../../wire/frame.ts';
import type { OutgoingMessage } from '../../wire/json/splice.ts';
import { isObject } from '../../wire/messages.ts';
import { createPeer } from '../../wire/rpc/peer.ts';
import type { ByteBudget } from '../../wire/stream/byte-budget.ts';
import { openStreamChannel } from '../../wire/stream/stream-channel.ts';
import type { Challenge } from './challenge.ts';

export interface ControlConnectionOptions {
  /** Answers a request. A throw becomes an error response. */
  readonly answer: (method: string, params: unknown) => unknown;
  readonly attach: Attach | undefined;
  /** Must be met before `mcp.attach` succeeds. Undefined for a pipe, which has no folder. */
  readonly challenge: Challenge | undefined;
  /** Limits the bytes of incomplete messages, shared by all connections. */
  readonly unfinishedBytes: ByteBudget;
  /** Called after each message sent to an attached connection. */
  readonly onSent: () => void;
  /** Called when the connection becomes the client of one of our servers. */
  readonly onAttached: () => void;
  /** Called once, when the connection has closed. */
  readonly onGone: () => void;
}

/** Attaches a connection to one server. Throws for an unknown server. Never calls `send` before it has returned. */
export type Attach = (wanted: AttachTarget, send: (message: OutgoingMessage) => void) => AttachedClient;

export interface AttachTarget {
  readonly id: string;
  /** If set, the server must have this identity, not only the same name. */
  readonly identity: string | undefined;
  /** Whether the gateway must have a client that supports elicitation, so that the server can ask a person. */
  readonly needsPerson: boolean;
}

export interface AttachedClient {
  receive(frame: Frame): void;
  /** Called once, as the last call. */
  end(): void;
}

/** One accepted connection on the control socket. */
export interface ControlConnection {
  isAttached(): boolean;
  /** Returns the number of bytes sent that the peer has not read yet. */
  queuedBytes(): number;
  /** Closes the connection immediately. May be called twice. */
  close(): void;
}

/** The maximum length of a line on a connection that is not attached. */
const MAX_REQUEST_BYTES = 1024 * 1024;
/** A connection that sends no request, or does not read its response, for this long is closed to free its slot. */
export const IDLE_TIMEOUT_MS = 10_000;

/** Answers the requests on one connection until it is attached. An attached connection is a client of its server. */
export function acceptControlConnection(socket: Socket, options: ControlConnectionOptions): ControlConnection {
  const { challenge } = options;
  let attached: AttachedClient | undefined;
  let idleTimer: NodeJS.Timeout | undefined;
  const isAttached = () => attached !== undefined;
  const close = () => void socket.destroy();

  const send = (message: OutgoingMessage) => {
    if (socket.destroyed) return;
    channel.send(message);
    if (isAttached()) options.onSent();
  };
  const attach = (params: unknown) => {
    if (options.attach === undefined) throw new AppError('METHOD_NOT_FOUND', 'Nothing can be attached to here.');
    if (attached !== undefined) throw new AppError('INVALID_REQUEST', 'This connection is attached already.');
    const target = readAttachTarget(params);
    if (challenge !== undefined) checkProof(challenge, params);
    attached = options.attach(target, send);
    options.onAttached();
    return {};
  };
  const peer = createPeer({
    send,
    onRequest: ({ method, params }) => (method === ATTACH ? attach(params) : options.answer(method, params)),
    onNotification: () => undefined,
  });

  /** Starts the idle timeout, which the next request cancels. */
  const startIdleTimer = () => {
    clearTimeout(idleTimer);
    if (!isAttached() && !socket.destroyed) idleTimer = setTimeout(close, IDLE_TIMEOUT_MS).unref();
  };
  const handleRequest = (frame: Frame) => {
    clearTimeout(idleTimer);
    peer.receive(frameText(frame));
    void peer.whenIdle().then(startIdleTimer);
  };
  const closeWithError = (error: AppError) => {
    peer.reportError(error);
    closeGracefully();
  };
  const forwardFrame = (to: AttachedClient, frame: Frame) => {
    try {
      to.receive(frame);
    } catch (error) {
      // Invalid input breaks only the connection that sent it, and no other.
      closeWithError(toAppError(error));
    }
  };
  /** Closes the connection after flushing queued output, or after `IDLE_TIMEOUT_MS` if the peer does not read it. */
  const closeGracefully = () => {
    channel.stop();
    channel.flush();
    socket.destroySoon();
    setTimeout(close, IDLE_TIMEOUT_MS).unref();
  };

  const channel = openStreamChannel(
    { input: socket, output: socket, framing: 'ndjson', unfinishedBytes: lineBudget(options, isAttached) },
    {
      frame: (frame) => (attached === undefined ? handleRequest(frame) : forwardFrame(attached, frame)),
      // If the connection is not attached, the rest of the line is read and dropped so that the peer can read the
      // error.
      reportError: (error) => (isAttached() ? closeWithError(error) : peer.reportError(error)),
      // The peer may have ended its side and still be waiting for a response.
      end: () => void peer.whenIdle().then(closeGracefully),
    },
  );
  socket.once('close', () => {
    clearTimeout(idleTimer);
    channel.stop();
    peer.close();
    challenge?.withdraw();
    options.onGone();
    try {
      attached?.end();
    } catch {
      // The attached client is gone either way, and nobody is left to report the error to.
    }
  });
  socket.unref();
  startIdleTimer();
  return { isAttached, close, queuedBytes: () => (socket.destroyed ? 0 : channel.queuedBytes()) };
}

const ATTACH = 'mcp.attach';

/** Throws until the client has created the proof file that it was told to create. */
function checkProof(challenge: Challenge, params: unknown): void {
  const { proof } = isObject(params) ? params : {};
  if (proof !== undefined) {
    if (challenge.isMet(proof)) return;
    throw new AppError('DENIED', `${ATTACH}: the file that proves access to the folder of the socket is not there.`);
  }
  const name = challenge.issue();
  const task = `create the empty file ${name} in the folder of this socket, and repeat it with {"proof":"${name}"}`;
  const message = `${ATTACH} is only for processes that may write to the folder of this socket: ${task}. A switchboard that cannot do this is too old: update it.`;
  throw new AppError('DENIED', message, { data: { proof: name } });
}

function readAttachTarget(params: unknown): AttachTarget {
  const { server, identity, needsPerson } = isObject(params) ? params : {};
  if (typeof server === 'string')
    return {
      id: server,
      identity: typeof identity === 'string' ? identity : undefined,
      needsPerson: needsPerson === true,
    };
  throw new AppError('INVALID_PARAMS', `${ATTACH}: say which server, by its id: {"server":"<id>"}.`);
}

/** Limits lines to `MAX_REQUEST_BYTES` before the attach. Afterwards only the shared budget limits a message. */
function lineBudget({ unfinishedBytes }: ControlConnectionOptions, isAttached: () => boolean): ByteBudget {
  return {
    open(overdrawn) {
      const share = unfinishedBytes.open(overdrawn);
      return {
        update(bytes) {
          if (bytes <= MAX_REQUEST_BYTES || isAttached()) share.update(bytes);
          else overdrawn(tooLong());
        },
      };
    },
  };
}

function tooLong(): AppError {
  const message = `A request is over the limit of ${MAX_REQUEST_BYTES} bytes.`;
  return new AppError('MESSAGE_TOO_LARGE', message, { data: { maxBytes: MAX_REQUEST_BYTES } });
}
