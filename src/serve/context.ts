import { messageOf } from '../base/errors.ts';
import { isObject, type RequestId, toJson } from '../wire/messages.ts';
import type { IncomingRequest } from '../wire/rpc/incoming-requests.ts';
import type { ElicitOptions, ElicitRequest, ElicitResult } from './elicitation.ts';
import { LOG_LEVELS, type LogLevel } from './log-levels.ts';
import type { ServedClient } from './served-client.ts';
import type { Schema } from './tools/schema.ts';

export interface Progress {
  readonly progress: number;
  readonly total?: number;
  readonly message?: string;
}

/** What a handler may know of its call and do towards the client that made it. */
export interface ToolContext {
  /** Aborted when the client cancels the call or leaves. */
  readonly signal: AbortSignal;
  /** The `_meta` of the request, as it came. */
  readonly meta: Readonly<Record<string, unknown>>;
  /** The id of the request; empty text for a call that came as a notification. */
  readonly requestId: RequestId;
  /** Who called. Outlives the call. */
  readonly client: ServedClient;
  /** Tells the client how far the call is. Does nothing when the client did not ask for progress. */
  readonly progress: (progress: Progress) => void;
  /** Sends a log message, if the client wants messages of this level. */
  readonly log: (level: LogLevel, data: unknown, logger?: string) => void;
  /** Asks the person behind the client and waits for the answer. The handler goes on where it stopped. */
  readonly elicit: <Given extends Schema>(
    request: ElicitRequest<Given>,
    options?: ElicitOptions,
  ) => Promise<ElicitResult<Given>>;
}

/** One call as its era sees it; the request may be exchanged while the handler is suspended. */
export interface CallLink {
  readonly era: 'legacy' | 'modern';
  readonly request: IncomingRequest;
  readonly client: ServedClient;
  readonly signal: AbortSignal;
  readonly logLevel: LogLevel | undefined;
  notify(method: string, params: unknown): void;
  elicit<Given extends Schema>(request: ElicitRequest<Given>, options?: ElicitOptions): Promise<ElicitResult<Given>>;
}

/** Its members are made when they are looked at: handlers may take them apart, and most use none. */
export class CallContext implements ToolContext {
  readonly #link: CallLink;

  constructor(link: CallLink) {
    this.#link = link;
  }

  get signal(): AbortSignal {
    return this.#link.signal;
  }

  get meta(): Readonly<Record<string, unknown>> {
    return metaOf(this.#link.request.params);
  }

  get requestId(): RequestId {
    return this.#link.request.id;
  }

  get client(): ServedClient {
    return this.#link.client;
  }

  get progress(): ToolContext['progress'] {
    const link = this.#link;
    return (progress) => {
      const { progressToken } = metaOf(link.request.params);
      if (progressToken === undefined || link.request.isAborted || link.request.isAnswered) return;
      link.notify('notifications/progress', { progressToken, ...progress });
    };
  }

  get log(): ToolContext['log'] {
    const link = this.#link;
    return (level, data, logger) => {
      const wanted = link.logLevel;
      // In the newer era a message belongs to its request, and ends with it.
      if (link.era === 'modern' && link.request.isAnswered) return;
      if (wanted === undefined || LOG_LEVELS.indexOf(level) < LOG_LEVELS.indexOf(wanted)) return;
      // What cannot be sent must not cost the caller its call.
      const sendable = toJson(data) === undefined ? messageOf(data) : data;
      const message = { level, data: sendable };
      link.notify('notifications/message', logger === undefined ? message : { ...message, logger });
    };
  }

  get elicit(): ToolContext['elicit'] {
    const link = this.#link;
    return (request, options) => link.elicit(request, options);
  }
}

export function metaOf(params: unknown): Readonly<Record<string, unknown>> {
  return isObject(params) && isObject(params['_meta']) ? params['_meta'] : {};
}
