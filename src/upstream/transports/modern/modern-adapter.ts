import { type OutgoingMessage, outgoingText } from '../../../wire/json/splice.ts';
import { isObject, type JsonObject, type JsonRpcMessage, resultText } from '../../../wire/messages.ts';
import type { SentRequest, TransportReceiver, UpstreamTransport } from '../transport.ts';
import { createCalls } from './calls.ts';
import type { ModernCarrier } from './carrier.ts';
import { createChangeStream } from './change-stream.ts';
import { toLegacyInitializeResult } from './discovery.ts';
import { createInputRequests } from './input-requests.ts';
import type { RequestMeta } from './request-meta.ts';

export interface ModernAdapterOptions {
  readonly where: string;
  readonly carrier: ModernCarrier;
  readonly receiver: TransportReceiver;
  readonly meta: RequestMeta;
  /** The result of `server/discover`. */
  readonly discovered: JsonObject;
}

/** The part of a transport that is the same over HTTP and over pipes. */
export interface ModernAdapter extends Pick<UpstreamTransport, 'send'> {
  forget(id: number): void;
  close(): void;
}

/**
 * Presents a modern server as a legacy one, so that callers need not handle both: answers `initialize` locally, adds
 * the envelope to each request, and turns required input into requests to the client.
 * https://modelcontextprotocol.io/specification/2026-07-28
 */
export function createModernAdapter(options: ModernAdapterOptions): ModernAdapter {
  const { where, carrier, receiver, meta, discovered } = options;
  let isClosed = false;
  const inputRequests = createInputRequests(receiver.frame);
  const call = createCalls({
    ...{ where, carrier, receiver, inputRequests, meta: meta.members },
    taskStarted: (taskId) => changeStream.followTask(taskId),
  });
  const changeStream = createChangeStream({
    carrier,
    capabilities: isObject(discovered['capabilities']) ? discovered['capabilities'] : {},
    meta: meta.members,
    deliver: receiver.frame,
  });

  /** Handlers of requests that the modern protocol lacks. */
  const localHandlers: Readonly<Record<string, (params: JsonObject) => unknown>> = {
    initialize(params) {
      meta.setClient(params);
      return toLegacyInitializeResult(discovered, where);
    },
    ping: () => ({}),
    'logging/setLevel'({ level }) {
      meta.setLogLevel(level);
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
    if (answer === undefined) return call(message, request);
    const result = answer(paramsOf(JSON.parse(outgoingText(message))));
    carrier.whenNotPaused(() => {
      if (!isClosed) receiver.frame([Buffer.from(resultText(String(request.id), result))]);
    });
  };

  const handleNotification = (text: string) => {
    const message = JSON.parse(text) as JsonRpcMessage;
    const { method } = message;
    if (typeof method !== 'string') return void inputRequests.receiveResponse(message, text);
    switch (method) {
      case 'notifications/initialized':
        return changeStream.start();
      case 'notifications/cancelled': {
        const params = paramsOf(message);
        return carrier.cancel(Number(params['requestId']), params);
      }
      // Modern servers request the roots when they need them.
      case 'notifications/roots/list_changed':
        return;
    }
    carrier.notify(method, text);
  };

  return {
    send(message, request) {
      if (isClosed) return;
      if (request === undefined) handleNotification(outgoingText(message));
      else handleRequest(message, request);
    },
    forget(id) {
      inputRequests.cancel(id);
      carrier.forget(id);
    },
    close() {
      isClosed = true;
      changeStream.close();
    },
  };
}

function paramsOf({ params }: JsonRpcMessage): JsonObject {
  return isObject(params) ? params : {};
}
