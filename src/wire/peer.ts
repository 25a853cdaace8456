import { AppError } from '../base/errors.ts';
import { type JsonRpcError, toJsonRpcError } from '../base/translate.ts';
import { createRunningRequests, IncomingRequest } from './incoming.ts';
import { errorText, type Incoming, isObject, type RequestId, resultText } from './messages.ts';
import { createOutgoingRequests, type RequestOptions } from './outgoing.ts';
import { rawMember } from './scan.ts';

export interface PeerOptions {
  /** Sends one message. Must not throw. */
  readonly send: (text: string) => void;
  /** Answers a request with a value, a promise or a throw. Not answered at all once it is cancelled. */
  readonly onRequest: (request: IncomingRequest) => unknown;
  readonly onNotification: (method: string, params: unknown) => void;
  /** How a thrown error looks to the other side; by default as in the error table. */
  readonly toError?: (error: unknown, method: string) => JsonRpcError;
}

export interface Peer {
  /** Takes one message as text. Never throws. */
  receive(text: string): void;
  request(method: string, params: Readonly<Record<string, unknown>>, options?: RequestOptions): Promise<unknown>;
  notify(method: string, params?: unknown): void;
  /** Answers the other side about something that never became a message. */
  complain(error: AppError): void;
  /** Resolves when no request of the other side is being worked on. */
  idle(): Promise<void>;
  /** The other side will say nothing more: whoever waits for it is told, what runs goes on. */
  hangUp(reason?: AppError): void;
  /** Settles every waiting caller and aborts what runs. May be called twice. */
  close(reason?: AppError): void;
}

/** Takes the answer to one request; undefined when it was cancelled and gets none. */
type Reply = (text: string | undefined) => void;

/** One end of a JSON-RPC conversation: both sides may ask, answer, cancel and report progress. */
export function createPeer(options: PeerOptions): Peer {
  const { send, onRequest, onNotification } = options;
  const toError = options.toError ?? toJsonRpcError;
  const outgoing = createOutgoingRequests(send);
  const running = createRunningRequests();

  const complain = (error: AppError, id = 'null') => send(errorText(id, toJsonRpcError(error)));

  const sendAnswer: Reply = (text) => {
    if (text !== undefined) send(text);
  };

  const dispatch = (message: unknown, text: string, reply: Reply) => {
    if (!isObject(message)) return complain(new AppError('INVALID_REQUEST', 'A message must be a JSON object.'));
    const { id, method } = message as Incoming;
    if (typeof method === 'string') {
      if (typeof id === 'number' || typeof id === 'string') return begin(message, id, method, text, reply);
      if (id === undefined || id === null) return notified(method, message['params']);
      return complain(new AppError('INVALID_REQUEST', 'An id must be a string or a number.'));
    }
    if ('result' in message || 'error' in message) return outgoing.answer(message);
    complain(new AppError('INVALID_REQUEST', 'A message must have a method, a result or an error.'), knownId(id, text));
  };

  const begin = (message: Incoming, id: RequestId, method: string, text: string, reply: Reply) => {
    const request = new IncomingRequest(id, idText(id, text), method, message.params);
    if (!running.add(request)) {
      return reply(errorText(request.idText, toJsonRpcError(new AppError('BUSY', 'Too many requests are under way.'))));
    }
    let outcome: unknown;
    try {
      outcome = onRequest(request);
    } catch (error) {
      return fail(request, error, reply);
    }
    if (!isThenable(outcome)) return finish(request, outcome, reply);
    outcome.then(
      (result) => finish(request, result, reply),
      (error) => fail(request, error, reply),
    );
  };

  const finish = (request: IncomingRequest, result: unknown, reply: Reply) => {
    let text: string;
    try {
      text = resultText(request.idText, result);
    } catch (error) {
      return fail(request, error, reply);
    }
    reply(request.isAborted ? undefined : text);
    running.remove(request);
  };

  const fail = (request: IncomingRequest, error: unknown, reply: Reply) => {
    reply(request.isAborted ? undefined : errorText(request.idText, toError(error, request.method)));
    running.remove(request);
  };

  const notified = (method: string, params: unknown) => {
    if (method === 'notifications/cancelled') return running.cancel(params);
    if (method === 'notifications/progress') return outgoing.progress(params);
    onNotification(method, params);
  };

  return {
    receive(text) {
      let message: unknown;
      try {
        message = JSON.parse(text);
      } catch (cause) {
        return complain(new AppError('PARSE_FAILED', `Not JSON: ${JSON.stringify(text.slice(0, 80))}`, { cause }));
      }
      if (Array.isArray(message)) return receiveBatch(message, send, dispatch, complain);
      dispatch(message, text, sendAnswer);
    },
    request: outgoing.request,
    notify: outgoing.notify,
    complain,
    idle: running.idle,
    hangUp: (reason = closedByOther()) => outgoing.close(reason),
    close(reason = closedByOther()) {
      outgoing.close(reason);
      running.abortAll(reason);
    },
  };
}

function closedByOther(): AppError {
  return new AppError('CONNECTION_CLOSED', 'The other side closed the connection.');
}

/** MCP 2025-03-26 allowed batches: their answers leave together, when the last one is ready. */
function receiveBatch(
  batch: readonly unknown[],
  send: (text: string) => void,
  dispatch: (message: unknown, text: string, reply: Reply) => void,
  complain: (error: AppError) => void,
): void {
  if (batch.length === 0) return complain(new AppError('INVALID_REQUEST', 'A batch must not be empty.'));
  const answers: string[] = [];
  let missing = batch.filter(expectsAnswer).length;
  const reply: Reply = (text) => {
    if (text !== undefined) answers.push(text);
    missing--;
    if (missing === 0 && answers.length > 0) send(`[${answers.join(',')}]`);
  };
  for (const message of batch) dispatch(message, JSON.stringify(message), reply);
}

function expectsAnswer(message: unknown): boolean {
  if (!isObject(message) || typeof message['method'] !== 'string') return false;
  return typeof message['id'] === 'number' || typeof message['id'] === 'string';
}

function idText(id: RequestId, text: string): string {
  if (typeof id === 'string') return JSON.stringify(id);
  // What JSON.parse cannot hold is taken from the text.
  return Number.isSafeInteger(id) ? String(id) : (rawMember(Buffer.from(text), 'id') ?? JSON.stringify(id));
}

function knownId(id: unknown, text: string): string {
  return typeof id === 'number' || typeof id === 'string' ? idText(id, text) : 'null';
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function';
}
