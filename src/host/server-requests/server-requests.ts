import { toJsonRpcError } from '../../base/error-translation.ts';
import { AppError, messageOf, toAppError } from '../../base/errors.ts';
import { neutralise } from '../../base/text/safe-text.ts';
import type { UpstreamCall } from '../../upstream/connection/call.ts';
import type { Upstream } from '../../upstream/upstream.ts';
import { type Frame, frameBytes } from '../../wire/frame.ts';
import { rawMember } from '../../wire/json/scan.ts';
import { errorText, type Incoming, isObject, resultText } from '../../wire/messages.ts';
import type { Elicitation, HostOptions, Sampling } from '../host-options.ts';
import { inspectUrl } from './elicitation-url.ts';

/** What servers ask the application, each until it is answered or withdrawn. */
export interface HostQuestions {
  /** What servers are told that we can. */
  readonly capabilities: Readonly<Record<string, unknown>>;
  /** `call` is the one because of which it asks, where that is known. */
  ask(question: AskedQuestion): void;
  /** The server no longer wants to know; without an id: anything, because it is gone. */
  withdraw(upstream: Upstream, requestId?: unknown): void;
  /** While it is, the answer to this call cannot be due: its server waits for somebody. */
  isHolding(upstream: Upstream, call: UpstreamCall): boolean;
  /** Nobody waits for the call any more: what it asked is asked in vain. */
  withdrawOf(call: UpstreamCall): void;
}

interface AskedQuestion {
  readonly upstream: Upstream;
  readonly message: Incoming;
  readonly frame: Frame;
  readonly call: UpstreamCall | undefined;
}

type Askers = Pick<HostOptions, 'onElicitation' | 'onSampling' | 'roots'>;

interface Open {
  readonly upstream: Upstream;
  readonly call: UpstreamCall | undefined;
  readonly at: number;
  readonly id: unknown;
  readonly abort: AbortController;
}

/** Of one server at once. */
const MAX_OPEN = 64;

export function createHostQuestions(askers: Askers, warn: (text: string) => void): HostQuestions {
  const open = new Set<Open>();
  const openOf = (upstream: Upstream) => [...open].filter((question) => question.upstream === upstream);

  /** What goes wrong in the application is no business of the server. */
  const elicit = async (ask: NonNullable<Askers['onElicitation']>, question: Elicitation | undefined) => {
    if (question === undefined) return { action: 'decline' };
    try {
      return checkAnswer(await ask(question));
    } catch (error) {
      warn(`onElicitation failed: ${messageOf(error)}`);
      return { action: 'cancel' };
    }
  };
  const sample = async (ask: NonNullable<Askers['onSampling']>, question: Sampling) => {
    let failure = 'it gave no message of a model';
    try {
      const answered = await ask(question);
      if (isObject(answered)) return answered;
    } catch (error) {
      failure = messageOf(error);
    }
    warn(`onSampling failed: ${failure}`);
    throw new AppError('INTERNAL', 'There is no answer of a model.');
  };

  const answer = async (question: Open, { method, params }: Incoming): Promise<unknown> => {
    const { upstream, abort } = question;
    if (openOf(upstream).length > MAX_OPEN) throw new AppError('BUSY', `${MAX_OPEN} questions wait for an answer.`);
    const { signal } = abort;
    switch (method) {
      case 'elicitation/create':
        if (askers.onElicitation === undefined) break;
        return elicit(askers.onElicitation, toElicitation(upstream.id, params, signal));
      case 'sampling/createMessage':
        if (askers.onSampling === undefined) break;
        return sample(askers.onSampling, { server: upstream.id, params, signal });
      case 'roots/list':
        if (askers.roots === undefined) break;
        return { roots: askers.roots };
    }
    throw new AppError('METHOD_NOT_FOUND', `${String(method)} is not known here.`);
  };

  return {
    capabilities: capabilitiesOf(askers),
    async ask({ upstream, message, frame, call }) {
      const idText = rawMember(frameBytes(frame), 'id') ?? 'null';
      if (message.method === 'ping') return upstream.answer(resultText(idText, {}));
      const question: Open = { upstream, call, at: performance.now(), id: message.id, abort: new AbortController() };
      open.add(question);
      let reply: string;
      try {
        reply = resultText(idText, await answer(question, message));
      } catch (error) {
        reply = errorText(idText, toJsonRpcError(toAppError(error)));
      }
      open.delete(question);
      if (!question.abort.signal.aborted) upstream.answer(reply);
    },
    withdraw(upstream, requestId) {
      for (const question of openOf(upstream)) {
        if (requestId !== undefined && question.id !== requestId) continue;
        open.delete(question);
        question.abort.abort();
      }
    },
    isHolding(upstream, call) {
      const sentAt = call.sent?.at ?? Number.POSITIVE_INFINITY;
      // Which call a question belongs to is not always known; one that was there before the call does not.
      return openOf(upstream).some((question) =>
        question.call === undefined ? question.at >= sentAt : question.call === call,
      );
    },
    withdrawOf(call) {
      for (const question of open) {
        if (question.call !== call) continue;
        open.delete(question);
        question.abort.abort();
      }
    },
  };
}

/** Nothing for which the application has no handler. */
function capabilitiesOf({ onElicitation, onSampling, roots }: Askers): Readonly<Record<string, unknown>> {
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
function checkAnswer(answer: unknown): unknown {
  const { action, content } = isObject(answer) ? answer : {};
  if (action === 'accept') return isObject(content) ? { action, content } : { action };
  return { action: action === 'decline' ? 'decline' : 'cancel' };
}
