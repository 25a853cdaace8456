import { lstatSync } from 'node:fs';
import { createConnection, type Socket } from 'node:net';
import { AppError, type ErrorCode, isAppError, messageOf } from '../../base/errors.ts';
import { errnoOf } from '../../base/files/errno.ts';
import { oneLine } from '../../base/text/safe-text.ts';
import type { Frame } from '../../wire/frame.ts';
import { isObject, requestText } from '../../wire/messages.ts';
import { parseFrame } from '../../wire/parse-frame.ts';
import { readResponse } from '../../wire/rpc/read-response.ts';
import { openStreamChannel } from '../../wire/stream/stream-channel.ts';
import { foreignSocketReason, type RunningInstance, removeStaleSocket } from './running-instances.ts';

export interface ControlRequestOptions {
  /** Default: 2000. */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

const DEFAULT_TIMEOUT_MS = 2_000;
const MAX_RESPONSE_BYTES = 64 * 1024 * 1024;

/** Sends one request to a running switchboard on a new connection. Every error message names its process id. */
export async function sendControlRequest(
  instance: RunningInstance,
  method: string,
  params?: unknown,
  options: ControlRequestOptions = {},
): Promise<unknown> {
  const { timeoutMs = DEFAULT_TIMEOUT_MS, signal } = options;
  const subject = `The Switchboard process ${instance.pid}`;
  const fail = (code: ErrorCode, what: string, cause?: unknown) =>
    new AppError(code, `${subject} ${what}`, { cause, data: { pid: instance.pid, method } });
  if (signal?.aborted === true) throw fail('CANCELLED', `was not queried with ${method}: the caller cancelled.`);
  rejectForeignSocket(instance, fail);
  const socket = createConnection(instance.address);
  const request = { running: instance, socket, line: requestText(ID, method, params), method, fail };
  return new Promise<unknown>((resolve, reject) => {
    const timer = setTimeout(
      () => reject(fail('TIMED_OUT', `did not answer ${method} within ${timeoutMs} ms.`)),
      timeoutMs,
    );
    const cancel = () => reject(fail('CANCELLED', `was being queried with ${method} when the caller cancelled.`));
    signal?.addEventListener('abort', cancel, { once: true });
    socket.once('close', () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', cancel);
    });
    exchange(request, resolve, reject);
  }).finally(() => socket.destroy());
}

const ID = 1;

type Fail = (code: ErrorCode, what: string, cause?: unknown) => AppError;

/**
 * Throws unless the current user owns the socket, because its responses are trusted. Named pipes have no owner to
 * check.
 */
function rejectForeignSocket({ address }: RunningInstance, fail: Fail): void {
  if (process.platform === 'win32') return;
  let why: string | undefined;
  try {
    why = foreignSocketReason(lstatSync(address));
  } catch (error) {
    throw toFailure(error, fail);
  }
  if (why !== undefined) throw fail('DENIED', `is not queried at ${address}: ${why}.`);
}

interface ControlRequest {
  readonly running: RunningInstance;
  readonly socket: Socket;
  readonly line: string;
  readonly method: string;
  readonly fail: Fail;
}

/** Sends the request line and reads the response line. */
function exchange(
  request: ControlRequest,
  resolve: (result: unknown) => void,
  reject: (error: AppError) => void,
): void {
  const { socket, line, method, fail } = request;
  // Registered before the channel's own listener, which reports only that the connection has ended.
  socket.once('error', (error) => reject(staleSocketError(error, request) ?? toFailure(error, fail)));
  const channel = openStreamChannel(
    { input: socket, output: socket, framing: 'ndjson', maxMessageBytes: MAX_RESPONSE_BYTES, readsAlways: true },
    {
      frame(frame) {
        try {
          resolve(readResult(frame, request));
        } catch (error) {
          reject(
            isAppError(error)
              ? error
              : fail('BAD_ANSWER', `sent a response that cannot be parsed: ${messageOf(error)}`, error),
          );
        }
      },
      reportError: (error) => reject(fail(error.code, `sent a response that cannot be read: ${error.message}`, error)),
      end: () => reject(fail('CONNECTION_CLOSED', `closed the connection before it answered ${method}.`)),
    },
  );
  channel.send(line);
}

/** Reads the first message as the response, whatever its id: the response to an unreadable line has no id. */
function readResult(frame: Frame, { method, fail }: ControlRequest): unknown {
  let message: unknown;
  try {
    message = parseFrame(frame);
  } catch (error) {
    throw fail('BAD_ANSWER', `answered ${method} with something other than JSON.`, error);
  }
  if (!isObject(message)) throw fail('BAD_ANSWER', `answered ${method} with something other than a message.`);
  const outcome = readResponse(message, method);
  if ('result' in outcome) return outcome.result;
  const { error } = outcome;
  const what = error.code === 'REQUEST_FAILED' ? 'refused' : 'did not correctly answer';
  const refused = fail(error.code, `${what} ${method}: ${oneLine(error.message)}`, error);
  throw new AppError(refused.code, refused.message, { cause: error, data: { ...error.data, ...refused.data } });
}

/**
 * Returns an error for a socket whose process has exited, or undefined if the process may still be running.
 * `isDeserted` in its data lets callers skip such an instance.
 */
function staleSocketError(error: unknown, { running: { pid, address }, method }: ControlRequest): AppError | undefined {
  if (errnoOf(error) !== 'ECONNREFUSED') return undefined;
  if (!removeStaleSocket(address, { now: Date.now(), platform: process.platform })) return undefined;
  const message = `The Switchboard process ${pid} has exited. Its leftover socket is removed.`;
  return new AppError('UNREACHABLE', message, { cause: error, data: { pid, method, isDeserted: true } });
}

function toFailure(error: unknown, fail: Fail): AppError {
  switch (errnoOf(error)) {
    case 'EACCES':
    case 'EPERM':
      return fail('DENIED', 'belongs to another user: its socket may not be opened.', error);
    case 'ECONNRESET':
    case 'EPIPE':
      return fail('CONNECTION_CLOSED', 'closed the connection during the request.', error);
    case 'EAGAIN':
      return fail('BUSY', 'has too many connections at once.', error);
    default:
      return fail('UNREACHABLE', `does not listen: ${errnoOf(error) ?? messageOf(error)}.`, error);
  }
}
