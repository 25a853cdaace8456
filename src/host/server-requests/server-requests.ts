import { toJsonRpcError } from '../../base/error-translation.ts';
import { AppError, messageOf, toAppError } from '../../base/errors.ts';
import { neutralise } from '../../base/text/safe-text.ts';
import type { UpstreamCall } from '../../upstream/connection/call.ts';
import type { Upstream } from '../../upstream/upstream.ts';
import { type Frame, frameBytes } from '../../wire/frame.ts';
import { rawMember } from '../../wire/json/scan.ts';
import { errorText, isObject, type JsonRpcMessage, resultText } from '../../wire/messages.ts';
import type { Elicitation, HostOptions, Sampling } from '../host-options.ts';
import { inspectUrl } from './elicitation-url.ts';

/** What servers ask the application, each until it is answered or withdrawn. */
export interface HostServerRequests {
  /** What servers are told that we can. */
  readonly capabilities: Readonly<Record<string, unknown>>;
  /** `call` is the one because of which it asks, where that is known. */
  handle(question: IncomingServerRequest): void;
  /** The server no longer wants to know; without an id: anything, because it is gone. */
  cancel(upstream: Upstream, requestId?: unknown): void;
  /** While it is, the answer to this call cannot be due: its server waits for somebody. */
  isBlocking(upstream: Upstream, call: UpstreamCall): boolean;
  /** Nobody waits for the call any more: what it asked is asked in vain. */
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

/** Of one server at once. */
const MAX_PENDING = 64;

export function createServerRequests(handlers: Handlers, warn: (text: string) => void): HostServerRequests {
  const pending = new Set<PendingRequest>();
  const pendingOf = (upstream: Upstream) => [...pending].filter((request) => request.upstream === upstream);

  /** What goes wrong in the application is no business of the server. */
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
    let failure = 'it gave no message of a model';
    try {
      const answered = await handler(request);
      if (isObject(answered)) return answered;
    } catch (error) {
      failure = messageOf(error);
    }
    warn(`onSampling failed: ${failure}`);
    throw new AppError('INTERNAL', 'There is no answer of a model.');
  };

  const answer = async (request: PendingRequest, { method, params }: JsonRpcMessage): Promise<unknown> => {
    const { upstream, abort } = request;
    if (pendingOf(upstream).length > MAX_PENDING)
      throw new AppError('BUSY', `${MAX_PENDING} questions wait for an answer.`);
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
    throw new AppError('METHOD_NOT_FOUND', `${String(method)} is not known here.`);
  };

  return {
    capabilities: capabilitiesOf(handlers),
    async handle({ upstream, message, frame, call }) {
      const idText = rawMember(frameBytes(frame), 'id') ?? 'null';
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
      const sentAt = call.sent?.sentAt ?? Number.POSITIVE_INFINITY;
      // Which call a question belongs to is not always known; one that was there before the call does not.
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

/** Nothing for which the application has no handler. */
function capabilitiesOf({ onElicitation, onSampling, roots }: Handlers): Readonly<Record<string, unknown>> {
  return {
    ...(onElicitation === undefined ? {} : { elicitation: { form: {}, url: {} } }),
    ...(onSampling === undefined ? {} : { sampling: {} }),
    ...(roots === undefined ? {} : { roots: {} }),
  };
}

/** Undefined for an address that no browser should be given, whoever agrees to it. */
function toElicitation(server: string, params: unknown, signal: AbortSignal): Elicitation | undefined {
  const { message, mode, url, requestedSchema } = isObject(params) ? params : {};
  const common = {
    server,
    message: neutralise(typeof message === 'string' ? message : '', { multiline: true }),
    signal,
  };
  if (mode === undefined || mode === 'form')
    return { ...common, mode: 'form', schema: isObject(requestedSchema) ? requestedSchema : {} };
  if (mode !== 'url') throw new AppError('INVALID_PARAMS', 'params.mode must be form or url.');
  if (typeof url !== 'string') throw new AppError('INVALID_PARAMS', 'params.url must be a text.');
  return /^https?:/i.test(url.trim()) ? { ...common, mode: 'url', ...inspectUrl(url) } : undefined;
}

/** Fails closed: what is no plain agreement is none. */
function readElicitationAnswer(answer: unknown): unknown {
  const { action, content } = isObject(answer) ? answer : {};
  if (action === 'accept') return isObject(content) ? { action, content } : { action };
  return { action: action === 'decline' ? 'decline' : 'cancel' };
}
