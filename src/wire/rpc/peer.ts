import { toJsonRpcError } from '../../base/error-translation.ts';
import { AppError, messageOf } from '../../base/errors.ts';
import { rawMember } from '../json/scan.ts';
import { outgoingText } from '../json/splice.ts';
import { errorText, isObject, type JsonRpcMessage, type RequestId } from '../messages.ts';
import { type GetRawBytes, type Reply, receiveBatch } from './batch.ts';
import { classify, toInvalidMessageError } from './classify.ts';
import { createSharedExchange, type Exchange } from './exchange.ts';
import { createRunningRequests, IncomingRequest } from './incoming-requests.ts';
import { createOutgoingRequests, type RequestOptions } from './outgoing-requests.ts';
import { createResponder, type ToError } from './responder.ts';

export interface PeerOptions {
  /** Sends a message that belongs to no exchange. Must not throw. */
  readonly send: (text: string) => void;
  /** Handles a request: returns a value or a promise, or throws. A cancelled request gets no response. */
  readonly onRequest: (request: IncomingRequest) => unknown;
  /** May return a promise for the work that it starts; `request.signal` aborts that work. */
  readonly onNotification: (method: string, params: unknown, request: IncomingRequest) => unknown;
  /**
   * Handles a line that is not JSON. By default the sender gets an error. A client must not do that: a server that logs
   * to stdout would be flooded with errors that it does not read.
   */
  readonly onInvalidMessage?: (error: AppError, exchange: Exchange) => void;
  /** Converts a thrown error for the other side; by default according to the error table. */
  readonly toError?: ToError;
}

export interface Peer {
  /** Handles one message, given as text. Never throws. Default exchange: `send`, which all messages then share. */
  receive(text: string, exchange?: Exchange): void;
  request(method: string, params: Readonly<Record<string, unknown>>, options?: RequestOptions): Promise<unknown>;
  /** Sends a notification, as part of the exchange of the request that it belongs to, if any. */
  notify(method: string, params?: unknown, exchange?: Exchange): void;
  /** Sends an error without an id, for input that never became a message. */
  reportError(error: AppError): void;
  /** Returns the exchange of a running request of the other side. */
  exchangeOf(id: RequestId): Exchange | undefined;
  /** Aborts the running requests of an exchange that the other side has closed. */
  abandon(exchange: Exchange, reason: AppError): void;
  /** How many requests of the other side are running. */
  readonly runningCount: number;
  /** Resolves when no request of the other side is running. */
  whenIdle(): Promise<void>;
  /** Rejects all pending requests, because the other side will send nothing more. Running requests continue. */
  rejectPending(reason?: AppError): void;
  /** Rejects all pending requests and aborts all running ones. May be called twice. */
  close(reason?: AppError): void;
}

/** Creates one end of a JSON-RPC connection. Both sides may send requests, responses, cancellations and progress. */
export function createPeer(options: PeerOptions): Peer {
  const { send, onRequest, onNotification, onInvalidMessage = respondWithError } = options;
  const output = createSharedExchange(send);
  const outgoing = createOutgoingRequests(output);
  const running = createRunningRequests();
  const respond = createResponder(running, options.toError);
  let closed = false;

  /** For work without a response. Everything else that it sends goes to the output. */
  const unanswered: Exchange = { send: output.send, respond() {} };

  const dispatch = (message: unknown, raw: GetRawBytes, exchange: Exchange) => {
    if (!isObject(message)) return exchange.respond(invalidRequest('A message must be a JSON object.'));
    const { id, method, params } = message as JsonRpcMessage;
    const kind = classify(message, outgoing.isPending);
    if (kind === 'request') {
      return respond(
        new IncomingRequest(id as RequestId, idText(id, raw), String(method), params, exchange),
        onRequest,
      );
    }
    if (kind === 'invalid') return exchange.respond(toErrorResponse(toInvalidMessageError(message), idText(id, raw)));
    if (kind === 'response') outgoing.receiveResponse(message);
    else receiveNotification(String(method), params);
    exchange.respond(undefined);
  };

  const receiveNotification = (method: string, params: unknown) => {
    if (method === 'notifications/cancelled') return running.cancel(params);
    if (method === 'notifications/progress') return outgoing.progress(params);
    // Work started by a notification counts like a request: it is awaited, aborted and limited, but gets no response.
    respond(new IncomingRequest('', NO_ID, method, params, unanswered), runNotification);
  };
  const receiveBatchOf = (messages: readonly unknown[], text: string, exchange: Exchange) =>
    receiveBatch(messages, text, {
      dispatch: (message, raw, reply) => dispatch(message, raw, createBatchExchange(exchange, reply)),
      reply: (responses) => exchange.respond(responses),
    });
  const runNotification = (request: IncomingRequest) => onNotification(request.method, request.params, request);

  return {
    receive(text, exchange = output) {
      if (closed) return exchange.respond(undefined);
      let message: unknown;
      try {
        message = JSON.parse(text);
      } catch (cause) {
        const message = `This line is not JSON: ${messageOf(cause)}. Send one message per line.`;
        return onInvalidMessage(new AppError('PARSE_FAILED', message, { cause }), exchange);
      }
      if (Array.isArray(message)) return receiveBatchOf(message, text, exchange);
      dispatch(message, () => Buffer.from(text), exchange);
    },
    request: outgoing.request,
    notify(method, params, exchange) {
      if (!closed) outgoing.notify(method, params, exchange);
    },
    reportError: (error) => send(toErrorResponse(error)),
    exchangeOf: (id) => running.find(id)?.exchange,
    abandon: running.abortOf,
    get runningCount() {
      return running.size;
    },
    whenIdle: running.whenIdle,
    rejectPending: (reason = closedByPeer()) => outgoing.close(reason),
    close(reason = closedByPeer()) {
      closed = true;
      outgoing.close(reason);
      running.abortAll(reason);
    },
  };
}

const NO_ID = 'null';

function respondWithError(error: AppError, exchange: Exchange): void {
  exchange.respond(toErrorResponse(error));
}

/** Creates the exchange of one message of a batch. The responses of a batch are sent together. */
function createBatchExchange(whole: Exchange, reply: Reply): Exchange {
  return {
    send: (message) => whole.send(message),
    respond: (message) => reply(message === undefined ? undefined : outgoingText(message)),
  };
}

function closedByPeer(): AppError {
  return new AppError('CONNECTION_CLOSED', 'The peer closed the connection.');
}

function toErrorResponse(error: AppError, id = 'null'): string {
  return errorText(id, toJsonRpcError(error));
}

function invalidRequest(message: string, id?: string): string {
  return toErrorResponse(new AppError('INVALID_REQUEST', message), id);
}

/** Returns the id exactly as received; `null` if there is none to respond to. */
function idText(id: unknown, raw: GetRawBytes): string {
  if (typeof id === 'string') return JSON.stringify(id);
  if (typeof id !== 'number') return 'null';
  // An id that `JSON.parse` cannot represent is copied from the text.
  if (Number.isSafeInteger(id) && !Object.is(id, -0)) return String(id);
  return rawMember(raw(), 'id') ?? JSON.stringify(id);
}
