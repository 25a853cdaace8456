import { createConnection, type Socket } from 'node:net';
import { AppError, messageOf } from '../../base/errors.ts';
import { errnoOf } from '../../base/files/errno.ts';
import type { Frame } from '../../wire/frame.ts';
import { isObject } from '../../wire/messages.ts';
import { parseFrame } from '../../wire/parse-frame.ts';
import { readResponse } from '../../wire/rpc/read-response.ts';
import { openStreamChannel } from '../../wire/stream/stream-channel.ts';
import type { OpenTransport, TransportReceiver, UpstreamTransport } from './transport.ts';

export interface SocketServer {
  /** Path of a local socket, or name of a pipe. */
  readonly address: string;
  /** How a person can find the server: `pid 4711`. */
  readonly where: string;
  /** The request that is sent before all others, as JSON text. Its response grants or denies the connection. */
  readonly preface: string;
  /** Returns what to send after the preface was refused; undefined to accept the refusal. Called at most once. */
  readonly onRefused?: (refusal: AppError) => string | undefined;
}

/** Timeout of the preface response. */
const PREFACE_MS = 5_000;
/** Time limit for flushing the last messages on close. */
const FLUSH_MS = 500;

/** Opens a private socket to a server that another process runs. Closing the transport ends only the connection. */
export function openSocket(server: SocketServer): OpenTransport {
  return async (receiver) => {
    const socket = createConnection(server.address);
    try {
      return await attach(socket, server, receiver);
    } catch (error) {
      socket.destroy();
      throw error;
    }
  };
}

function attach(socket: Socket, server: SocketServer, receiver: TransportReceiver): Promise<UpstreamTransport> {
  const { where, preface } = server;
  return new Promise((resolve, reject) => {
    let isAttached = false;
    let failure: AppError | undefined;
    let { onRefused } = server;
    const timer = setTimeout(
      () => reject(new AppError('TIMED_OUT', `${where} did not accept the connection within ${PREFACE_MS} ms.`)),
      PREFACE_MS,
    );
    // Registered before the channel's handler, which only sees that the connection has ended.
    socket.once('error', (error) => {
      failure = toSocketError(error, server);
    });
    const channel = openStreamChannel(
      { input: socket, output: socket, framing: 'ndjson', readsAlways: true },
      {
        frame(frame) {
          if (isAttached) return receiver.frame(frame);
          const refusal = readRefusal(frame, server);
          const next = refusal && onRefused?.(refusal);
          onRefused = undefined;
          if (next !== undefined) return channel.send(next);
          clearTimeout(timer);
          if (refusal !== undefined) return reject(refusal);
          isAttached = true;
          resolve(toTransport());
        },
        reportError: (error, beginning) => (isAttached ? receiver.reportError(error, beginning) : reject(error)),
        oversizedEnded: (ending) => receiver.oversizedEnded?.(ending),
        end(end) {
          clearTimeout(timer);
          const reason = end.failure ?? failure ?? new AppError('CONNECTION_CLOSED', `${where} closed the connection.`);
          if (isAttached) receiver.end(reason);
          else reject(reason);
        },
      },
    );
    const toTransport = (): UpstreamTransport => ({
      ...channel,
      where,
      stderrTail: () => [],
      async close() {
        channel.stop();
        channel.flush();
        await closeSocket(socket);
      },
    });
    channel.send(preface);
  });
}

function closeSocket(socket: Socket): Promise<void> {
  if (socket.closed) return Promise.resolve();
  return new Promise((resolve) => {
    const timer = setTimeout(() => socket.destroy(), FLUSH_MS);
    socket.once('close', () => {
      clearTimeout(timer);
      resolve();
    });
    socket.destroySoon();
  });
}

/** Returns undefined if the connection is granted. */
function readRefusal(frame: Frame, { where }: SocketServer): AppError | undefined {
  let message: unknown;
  try {
    message = parseFrame(frame);
  } catch (cause) {
    return new AppError('BAD_ANSWER', `${where} accepted the connection with something other than JSON.`, { cause });
  }
  if (!isObject(message))
    return new AppError('BAD_ANSWER', `${where} accepted the connection with something other than a message.`);
  const outcome = readResponse(message, 'mcp.attach');
  return 'error' in outcome ? outcome.error : undefined;
}

function toSocketError(error: Error, { where, address }: SocketServer): AppError {
  switch (errnoOf(error)) {
    case 'EACCES':
    case 'EPERM':
      return new AppError('DENIED', `${where} belongs to another user: ${address} may not be opened.`, {
        cause: error,
      });
    case 'ENOENT':
    case 'ECONNREFUSED':
      return new AppError('UNREACHABLE', `${where} does not listen at ${address}.`, { cause: error });
    default:
      return new AppError('CONNECTION_CLOSED', `${where} closed the connection: ${messageOf(error)}`, { cause: error });
  }
}
