import { tryParseJson } from '../../../../base/text/is-json.ts';
import {
  CAPABILITIES_KEY,
  CLIENT_INFO_KEY,
  LOG_LEVEL_KEY,
  SERVER_INFO_KEY,
  VERSION_KEY,
} from '../../../../wire/envelope-keys.ts';
import { type Frame, frameText } from '../../../../wire/frame.ts';
import { type OutgoingMessage, outgoingText } from '../../../../wire/json/splice.ts';
import { isObject, type JsonRpcMessage, requestText, resultText } from '../../../../wire/messages.ts';
import { MODERN_VERSION } from '../../../../wire/protocol-versions.ts';
import type { SentRequest, TransportReceiver, UpstreamTransport } from '../../transport.ts';
import type { StartExchange } from '../exchange/exchange.ts';
import type { PostHandler } from '../post-request.ts';
import { createPosts } from '../posts.ts';
import { createOpenResponses, type ReadLimits } from '../response/open-responses.ts';
import { createUnauthorizedCalls } from '../unauthorized-calls.ts';
import { createUndeliveredRequests, isServerGone, type UndeliveredRequests } from '../undelivered-requests.ts';
import { createCalls } from './calls.ts';
import { createChangeStream } from './change-stream.ts';
import { createInputRequests } from './input-requests.ts';

export interface ModernTransportOptions extends ReadLimits {
  readonly where: string;
  readonly startExchange: StartExchange;
  readonly receiver: TransportReceiver;
  /** The result of `server/discover`. */
  readonly discovered: Readonly<Record<string, unknown>>;
}

/**
 * Presents a modern server as a legacy one, so that callers need not handle both: answers `initialize` locally, adds
 * the envelope to each request, and turns required input into requests to the client.
 * https://modelcontextprotocol.io/specification/2026-07-28
 */
export function openModernTransport(options: ModernTransportOptions): UpstreamTransport {
  const { where, startExchange, receiver, discovered } = options;
  let meta: Readonly<Record<string, unknown>> = { [VERSION_KEY]: MODERN_VERSION, [CAPABILITIES_KEY]: {} };
  let isClosed = false;
  const undelivered = createUndeliveredRequests();
  const responses = createOpenResponses(options);
  const posts = createPosts({ where, startExchange, receiver, responses });
  const handler = createPostHandler({ undelivered, startExchange, receiver, meta: () => meta });
  const inputRequests = createInputRequests(receiver.frame);
  const call = createCalls({
    ...{ where, posts, startExchange, receiver, inputRequests, headers: headersFor },
    meta: () => meta,
    undelivered: handler.undelivered,
    done: undelivered.forget,
    taskStarted: (taskId) => changeStream.followTask(taskId),
  });
  const changeStream = createChangeStream({
    startExchange,
    capabilities: isObject(discovered['capabilities']) ? discovered['capabilities'] : {},
    meta: () => meta,
    headers: headersFor,
    read: responses.readEvents,
    deliver: (frame) => {
      if (!isStreamControl(frame)) receiver.frame(frame);
    },
  });

  /** Handlers of requests that the modern protocol lacks. */
  const localHandlers: Readonly<Record<string, (params: Readonly<Record<string, unknown>>) => unknown>> = {
    initialize({ clientInfo, capabilities }) {
      meta = { [VERSION_KEY]: MODERN_VERSION, [CLIENT_INFO_KEY]: clientInfo, [CAPABILITIES_KEY]: capabilities ?? {} };
      return toLegacyInitializeResult(discovered, where);
    },
    ping: () => ({}),
    'logging/setLevel'({ level }) {
      meta = { ...meta, [LOG_LEVEL_KEY]: level };
      return {};
    },
    'resources/subscribe'({ uri }) {
      changeStream.subscribe(String(uri));
      return {};
    },
    'resources/unsubscribe'({ uri }) {
      changeStream.unsubscribe(String(uri));
      return {};
    },
  };

  const handleRequest = (message: OutgoingMessage, request: SentRequest) => {
    const answer = Object.hasOwn(localHandlers, request.method) ? localHandlers[request.method] : undefined;
    if (answer === undefined) {
      undelivered.recordSent(request);
      return call(message, request);
    }
    const result = answer(paramsOf(outgoingText(message)));
    responses.whenNotPaused(() => receiver.frame([Buffer.from(resultText(String(request.id), result))]));
  };

  const handleNotification = (text: string) => {
    const message = JSON.parse(text) as JsonRpcMessage;
    const { method } = message;
    if (typeof method !== 'string') return void inputRequests.receiveResponse(message, text);
    if (method === 'notifications/initialized') return changeStream.start();
    // Modern calls are cancelled by closing the connection, which `forget` does. Changed roots are not reported.
    if (method === 'notifications/cancelled' || method === 'notifications/roots/list_changed') return;
    posts.send({ message: text, headers: headersFor(method), request: undefined }, handler);
  };

  return {
    where,
    send(message, request) {
      if (isClosed) return;
      if (request === undefined) handleNotification(outgoingText(message));
      else handleRequest(message, request);
    },
    forget(id) {
      undelivered.forget(id);
      inputRequests.cancel(id);
      posts.forget(id);
    },
    queuedBytes: () => posts.queuedBytes,
    nextSequence: undelivered.nextSequence,
    isUnsent: undelivered.isUndelivered,
    isUndelivered: undelivered.isUndelivered,
    pause: responses.pause,
    resume: responses.resume,
    stderrTail: () => [],
    async close() {
      isClosed = true;
      changeStream.close();
      posts.close();
    },
  };
}

interface PostHandlerOptions {
  readonly undelivered: UndeliveredRequests;
  readonly startExchange: StartExchange;
  readonly receiver: TransportReceiver;
  readonly meta: () => Readonly<Record<string, unknown>>;
}

/**
 * Creates the handler of notifications and responses, which ends the connection if the server is unreachable or
 * requires a sign-in. Without sessions, nothing else can be lost.
 */
function createPostHandler({ undelivered, startExchange, receiver, meta }: PostHandlerOptions): PostHandler {
  const unauthorizedCalls = createUnauthorizedCalls({
    startExchange,
    listRequest: () => ({
      headers: headersFor('tools/list'),
      body: requestText('refused', 'tools/list', { _meta: meta() }),
    }),
    requestFailed: receiver.requestFailed,
    end: receiver.end,
  });
  return {
    frame: (_, frame) => receiver.frame(frame),
    rejected: () => false,
    undelivered(post, failure) {
      undelivered.recordFailure(post.request, failure);
      const isGone = isServerGone(failure);
      if (isGone && !unauthorizedCalls.handle(post.request, failure)) receiver.end(failure.error);
      return isGone;
    },
    interrupted: () => false,
    done() {},
  };
}

/** Returns true for messages that only open or end the stream, of which callers know nothing. */
function isStreamControl(frame: Frame): boolean {
  const message = tryParseJson(frameText(frame));
  // The receiver reports what is not a message.
  if (!isObject(message)) return false;
  return message['method'] === 'notifications/subscriptions/acknowledged' || message['method'] === undefined;
}

function headersFor(method: string): Readonly<Record<string, string>> {
  return { 'mcp-protocol-version': MODERN_VERSION, 'mcp-method': method };
}

/** Builds the `initialize` result that a legacy server would have sent. */
function toLegacyInitializeResult(discovered: Readonly<Record<string, unknown>>, where: string): unknown {
  const { _meta: meta, capabilities = {}, instructions } = discovered;
  const reported = isObject(meta) ? meta[SERVER_INFO_KEY] : undefined;
  const serverInfo = reported ?? discovered['serverInfo'] ?? { name: where, version: '' };
  return {
    protocolVersion: MODERN_VERSION,
    capabilities,
    serverInfo,
    ...(instructions === undefined ? {} : { instructions }),
  };
}

function paramsOf(text: string): Readonly<Record<string, unknown>> {
  const { params } = JSON.parse(text) as JsonRpcMessage;
  return isObject(params) ? params : {};
}
