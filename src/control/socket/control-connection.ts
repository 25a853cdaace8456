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
  /** A throw becomes an error answer. */
  readonly answer: (method: string, params: unknown) => unknown;
  readonly attach: Attach | undefined;
  /** To be met by whoever wants to be attached; undefined where there is no folder for it. */
  readonly challenge: Challenge | undefined;
  /** What those who are attached may hold together of messages that have not ended. */
  readonly unfinishedBytes: ByteBudget;
  /** Something was sent to one who is attached. */
  readonly onSent: () => void;
  /** From now on it speaks to a server of ours. */
  readonly onAttached: () => void;
  /** Called once: the connection is gone. */
  readonly onGone: () => void;
}

/** Joins a connection to one server. Throws for one that it does not know; `send` is not called before it has returned. */
export type Attach = (wanted: AttachTarget, send: (message: OutgoingMessage) => void) => AttachedClient;

export interface AttachTarget {
  readonly id: string;
  /** It has to be this very one, and not another of the same name. */
  readonly identity: string | undefined;
  /** It must have been told that it may ask a person. */
  readonly needsPerson: boolean;
}

export interface AttachedClient {
  receive(frame: Frame): void;
  /** Called once, and last. */
  end(): void;
}

/** Somebody who is connected to us. */
export interface ControlConnection {
  isAttached(): boolean;
  /** What it has not read yet. */
  queuedBytes(): number;
  /** Ends the connection at once. May be called twice. */
  close(): void;
}

/** What one who is not attached may say in one line. */
const MAX_REQUEST_BYTES = 1024 * 1024;
/** Whoever asks nothing for so long, or does not read its answer, leaves its place to others. */
export const IDLE_TIMEOUT_MS = 10_000;

/** Answers the requests on one connection, until it is attached to a server: then it is that server's client. */
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

  /** From now on, until a request comes. */
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
      // Whatever it can say to break us, it breaks its own connection and no other.
      closeWithError(toAppError(error));
    }
  };
  /** What has been said to it is still written, for a while. */
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
      // Of one who only asks, the rest of the line is read and dropped, so that it can hear why.
      reportError: (error) => (isAttached() ? closeWithError(error) : peer.reportError(error)),
      // It may have said all that it had to say, and wait for its answer.
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
      // Whoever was attached is gone either way, and nobody is left who could be told.
    }
  });
  socket.unref();
  startIdleTimer();
  return { isAttached, close, queuedBytes: () => (socket.destroyed ? 0 : channel.queuedBytes()) };
}

const ATTACH = 'mcp.attach';

/** Throws until the client has created the file that it was asked for. */
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

/** A request is short. What is said to a server may be as long as any message. */
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
