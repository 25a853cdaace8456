import { toJsonRpcError } from '../../base/error-translation.ts';
import { AppError, messageOf, toAppError } from '../../base/errors.ts';
import { neutralize } from '../../base/text/safe-text.ts';
import type { UpstreamCall } from '../../upstream/connection/call.ts';
import type { Upstream } from '../../upstream/upstream.ts';
import type { Frame } from '../../wire/frame.ts';
import { errorText, isObject, type JsonRpcMessage, resultText } from '../../wire/messages.ts';
import { idTextOf } from '../../wire/relay/id-text.ts';
import type { Elicitation, HostOptions, Sampling } from '../host-options.ts';
import { inspectUrl } from './elicitation-url.ts';

/** Server requests to the application, each pending until it is answered or cancelled. */
export interface HostServerRequests {
  /** The client capabilities that servers receive. */
  readonly capabilities: Readonly<Record<string, unknown>>;
  /** Handles a request. `call` is the call that caused it, if known. */
  handle(question: IncomingServerRequest): void;
  /** Cancels one request of a server, or all of them without an id, because the server has disconnected. */
  cancel(upstream: Upstream, requestId?: unknown): void;
  /**
   * Whether the server waits for a response to a request of its own. Meanwhile the deadline of this call does not run.
   */
  isBlocking(upstream: Upstream, call: UpstreamCall): boolean;
  /** Cancels the requests that this call caused, because its caller no longer waits. */
  cancelFor(call: UpstreamCall): void;
}

interface IncomingServerRequest {
  readonly upstream: Upstream;
  readonly message: JsonRpcMessage;
  readonly frame: Frame;
  readonly call: UpstreamCall | undefined;
}

type Handlers = Pick<HostOptions, 'onElicitation' | 'onSampling' | 'roots'>;

interface PendingRequest {
  readonly upstream: Upstream;
  readonly call: UpstreamCall | undefined;
  readonly at: number;
  readonly id: unknown;
  readonly abort: AbortController;
}

/** Per server. */
const MAX_PENDING = 64;

export function createServerRequests(handlers: Handlers, warn: (text: string) => void): HostServerRequests {
  const pending = new Set<PendingRequest>();
  const pendingOf = (upstream: Upstream) => [...pending].filter((request) => request.upstream === upstream);

  /** Hides errors of the application from the server. */
  const elicit = async (handler: NonNullable<Handlers['onElicitation']>, request: Elicitation | undefined) => {
    if (request === undefined) return { action: 'decline' };
    try {
      return readElicitationAnswer(await handler(request));
    } catch (error) {
      warn(`onElicitation failed: ${messageOf(error)}`);
      return { action: 'cancel' };
    }
  };
  const sample = async (handler: NonNullable<Handlers['onSampling']>, request: Sampling) => {
    let failure = 'it returned no message from a model';
    try {
      const answered = await handler(request);
      if (isObject(answered)) return answered;
    } catch (error) {
      failure = messageOf(error);
    }
    warn(`onSampling failed: ${failure}`);
    throw new AppError('INTERNAL', 'The application returned no message from a model.');
  };

  const answer = async (request: PendingRequest, { method, params }: JsonRpcMessage): Promise<unknown> => {
    const { upstream, abort } = request;
    if (pendingOf(upstream).length > MAX_PENDING)
      throw new AppError('BUSY', `${MAX_PENDING} requests are already pending.`);
    const { signal } = abort;
    switch (method) {
      case 'elicitation/create':
        if (handlers.onElicitation === undefined) break;
        return elicit(handlers.onElicitation, toElicitation(upstream.id, params, signal));
      case 'sampling/createMessage':
        if (handlers.onSampling === undefined) break;
        return sample(handlers.onSampling, { server: upstream.id, params, signal });
      case 'roots/list':
        if (handlers.roots === undefined) break;
        return { roots: handlers.roots };
    }
    throw new AppError('METHOD_NOT_FOUND', `${String(method)} is not supported here.`);
  };

  return {
    capabilities: capabilitiesOf(handlers),
    async handle({ upstream, message, frame, call }) {
      const idText = idTextOf(message, frame);
      if (message.method === 'ping') return upstream.respond(resultText(idText, {}));
      const request: PendingRequest = {
        upstream,
        call,
        at: performance.now(),
        id: message.id,
        abort: new AbortController(),
      };
      pending.add(request);
      let reply: string;
      try {
        reply = resultText(idText, await answer(request, message));
      } catch (error) {
        reply = errorText(idText, toJsonRpcError(toAppError(error)));
      }
      pending.delete(request);
      if (!request.abort.signal.aborted) upstream.respond(reply);
    },
    cancel(upstream, requestId) {
      for (const request of pendingOf(upstream)) {
        if (requestId !== undefined && request.id !== requestId) continue;
        pending.delete(request);
        request.abort.abort();
      }
    },
    isBlocking(upstream, call) {
      const sentAt = call.sent?.acceptedAt ?? Number.POSITIVE_INFINITY;
      // The call of a request is not always known, but a request older than the call does not belong to it.
      return pendingOf(upstream).some((request) =>
        request.call === undefined ? request.at >= sentAt : request.call === call,
      );
    },
    cancelFor(call) {
      for (const request of pending) {
        if (request.call !== call) continue;
        pending.delete(request);
        request.abort.abort();
      }
    },
  };
}

/** Advertises only capabilities for which the application has a handler. */
function capabilitiesOf({ onElicitation, onSampling, roots }: Handlers): Readonly<Record<string, unknown>> {
  return {
    ...(onElicitation === undefined ? {} : { elicitation: { form: {}, url: {} } }),
    ...(onSampling === undefined ? {} : { sampling: {} }),
    ...(roots === undefined ? {} : { roots: {} }),
  };
}

/** Returns undefined for a URL that must not reach a browser, even with consent. */
function toElicitation(server: string, params: unknown, signal: AbortSignal): Elicitation | undefined {
  const { message, mode, url, requestedSchema } = isObject(params) ? params : {};
  const common = {
    server,
    message: neutralize(typeof message === 'string' ? message : '', { multiline: true }),
    signal,
  };
  if (mode === undefined || mode === 'form')
    return { ...common, mode: 'form', schema: isObject(requestedSchema) ? requestedSchema : {} };
  if (mode !== 'url') throw new AppError('INVALID_PARAMS', 'params.mode must be form or url.');
  if (typeof url !== 'string') throw new AppError('INVALID_PARAMS', 'params.url must be a string.');
  return /^https?:/i.test(url.trim()) ? { ...common, mode: 'url', ...inspectUrl(url) } : undefined;
}

/** Fails closed: only an unambiguous `accept` counts as consent. */
function readElicitationAnswer(answer: unknown): unknown {
  const { action, content } = isObject(answer) ? answer : {};
  if (action === 'accept') return isObject(content) ? { action, content } : { action };
  return { action: action === 'decline' ? 'decline' : 'cancel' };
}
