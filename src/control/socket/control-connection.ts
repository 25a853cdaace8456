import type { Socket } from 'node:net';
import { AppError, toAppError } from '../../base/errors.ts';
import { type Frame, frameText } from '../../wire/frame.ts';
import type { OutgoingMessage } from '../../wire/json/splice.ts';
import { isObject } from '../../wire/messages.ts';
import { createPeer, type Peer } from '../../wire/rpc/peer.ts';
import type { ByteBudget } from '../../wire/stream/byte-budget.ts';
import { openStreamChannel, type StreamChannel } from '../../wire/stream/stream-channel.ts';
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

/**
 * Attaches a connection to one server. Throws for an unknown server. Never uses the connection before it has returned.
 */
export type Attach = (wanted: AttachTarget, connection: AttachedConnection) => AttachedClient;

/** The connection of an attached client, as its server uses it. */
export interface AttachedConnection {
  send(message: OutgoingMessage): void;
  /** Ends the connection after all messages have been sent. */
  close(): void;
}

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

/** The maximum length of a line on a connection that is not attached. */
const MAX_REQUEST_BYTES = 1024 * 1024;
/** A connection that sends no request, or does not read its response, for this long is closed to free its slot. */
export const IDLE_TIMEOUT_MS = 10_000;

/**
 * One accepted connection on the control socket. It answers requests until it is attached. An attached connection is a
 * client of its server.
 */
export class ControlConnection {
  readonly #socket: Socket;
  readonly #options: ControlConnectionOptions;
  readonly #peer: Peer;
  readonly #channel: StreamChannel;
  #attached: AttachedClient | undefined;
  #idleTimer: NodeJS.Timeout | undefined;

  constructor(socket: Socket, options: ControlConnectionOptions) {
    this.#socket = socket;
    this.#options = options;
    this.#peer = createPeer({
      send: this.#send,
      onRequest: ({ method, params }) => (method === ATTACH ? this.#attach(params) : options.answer(method, params)),
      onNotification: () => undefined,
    });
    this.#channel = openStreamChannel(
      { input: socket, output: socket, framing: 'ndjson', unfinishedBytes: this.#lineBudget() },
      {
        frame: (frame) => this.#receive(frame),
        reportError: (error) => this.#reportError(error),
        // The peer may have ended its side and still be waiting for a response.
        end: () => void this.#peer.whenIdle().then(() => this.#closeGracefully()),
      },
    );
    socket.once('close', () => this.#closed());
    socket.unref();
    this.#startIdleTimer();
  }

  get isAttached(): boolean {
    return this.#attached !== undefined;
  }

  /** The number of bytes sent that the peer has not read yet. */
  get queuedBytes(): number {
    return this.#socket.destroyed ? 0 : this.#channel.queuedBytes();
  }

  /** Closes the connection immediately. May be called twice. */
  close(): void {
    this.#socket.destroy();
  }

  readonly #send = (message: OutgoingMessage): void => {
    if (this.#socket.destroyed) return;
    this.#channel.send(message);
    if (this.isAttached) this.#options.onSent();
  };

  #receive(frame: Frame): void {
    if (this.#attached === undefined) this.#handleRequest(frame);
    else this.#forward(this.#attached, frame);
  }

  #handleRequest(frame: Frame): void {
    clearTimeout(this.#idleTimer);
    this.#peer.receive(frameText(frame));
    void this.#peer.whenIdle().then(() => this.#startIdleTimer());
  }

  #attach(params: unknown): unknown {
    const { attach, challenge } = this.#options;
    if (attach === undefined) throw new AppError('METHOD_NOT_FOUND', 'This process does not support attached clients.');
    if (this.isAttached) throw new AppError('INVALID_REQUEST', 'This connection is already attached.');
    const target = readAttachTarget(params);
    if (challenge !== undefined) checkProof(challenge, params);
    this.#attached = attach(target, { send: this.#send, close: () => this.#closeGracefully() });
    this.#options.onAttached();
    return {};
  }

  #forward(to: AttachedClient, frame: Frame): void {
    try {
      to.receive(frame);
    } catch (error) {
      // Invalid input breaks only the connection that sent it, and no other.
      this.#reportError(toAppError(error));
    }
  }

  /**
   * Reports an invalid message and closes an attached connection. If the connection is not attached, the rest of the
   * line is read and dropped so that the peer can read the error.
   */
  #reportError(error: AppError): void {
    this.#peer.reportError(error);
    if (this.isAttached) this.#closeGracefully();
  }

  /** Starts the idle timeout, which the next request cancels. */
  #startIdleTimer(): void {
    clearTimeout(this.#idleTimer);
    if (this.isAttached || this.#socket.destroyed) return;
    this.#idleTimer = setTimeout(() => this.close(), IDLE_TIMEOUT_MS).unref();
  }

  /** Closes the connection after flushing queued output, or after `IDLE_TIMEOUT_MS` if the peer does not read it. */
  #closeGracefully(): void {
    this.#channel.stop();
    this.#channel.flush();
    this.#socket.destroySoon();
    setTimeout(() => this.close(), IDLE_TIMEOUT_MS).unref();
  }

  #closed(): void {
    clearTimeout(this.#idleTimer);
    this.#channel.stop();
    this.#peer.close();
    this.#options.challenge?.withdraw();
    this.#options.onGone();
    try {
      this.#attached?.end();
    } catch {
      // The attached client is gone either way, and nobody is left to report the error to.
    }
  }

  /** Limits lines to `MAX_REQUEST_BYTES` before the attach. Afterward only the shared budget limits a message. */
  #lineBudget(): ByteBudget {
    return {
      open: (overdrawn) => {
        const share = this.#options.unfinishedBytes.open(overdrawn);
        return {
          update: (bytes) => {
            if (bytes <= MAX_REQUEST_BYTES || this.isAttached) share.update(bytes);
            else overdrawn(tooLong());
          },
        };
      },
    };
  }
}

const ATTACH = 'mcp.attach';

/** Throws until the client has created the proof file that it was told to create. */
function checkProof(challenge: Challenge, params: unknown): void {
  const { proof } = isObject(params) ? params : {};
  if (proof !== undefined) {
    if (challenge.isMet(proof)) return;
    throw new AppError('DENIED', `${ATTACH}: the file that proves access to the folder of the socket does not exist.`);
  }
  const name = challenge.issue();
  const task = `create the empty file ${name} in the folder of this socket, and repeat the request with {"proof":"${name}"}`;
  const message = `${ATTACH} is only for processes that may write to the folder of this socket: ${task}. A Switchboard that cannot do this is too old: update it.`;
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
  throw new AppError('INVALID_PARAMS', `${ATTACH}: name the server by its id: {"server":"<id>"}.`);
}

function tooLong(): AppError {
  const message = `A request is over the limit of ${MAX_REQUEST_BYTES} bytes.`;
  return new AppError('MESSAGE_TOO_LARGE', message, { data: { maxBytes: MAX_REQUEST_BYTES } });
}
