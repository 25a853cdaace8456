import { messageOf } from '../base/errors.ts';
import { isObject, type RequestId, toJson } from '../wire/messages.ts';
import type { IncomingRequest } from '../wire/rpc/incoming-requests.ts';
import type * as ClientRequests from './client-requests/client-requests.ts';
import type { ElicitOptions, ElicitRequest, ElicitResult } from './client-requests/elicitation.ts';
import type { Root } from './client-requests/roots.ts';
import type { SampleRequest, SampleResult } from './client-requests/sampling.ts';
import type { InputRequestOptions } from './eras/input-request.ts';
import { LOG_LEVELS, type LogLevel } from './log-levels.ts';
import type { ServedClient } from './served-client.ts';
import type { Schema } from './tools/schema.ts';

export interface Progress {
  readonly progress: number;
  readonly total?: number;
  readonly message?: string;
}

/**
 * The context of a tool call, or of a request for a prompt or resource: its metadata, and methods to reach the client
 * that made it.
 */
export interface ToolContext {
  /** Aborted when the client cancels the call or disconnects. */
  readonly signal: AbortSignal;
  /** The unmodified `_meta` of the request. */
  readonly meta: Readonly<Record<string, unknown>>;
  /** The id of the request, or an empty string for a call sent as a notification. */
  readonly requestId: RequestId;
  /** The calling client. Stays valid after the call. */
  readonly client: ServedClient;
  /** Sends a progress notification. Does nothing if the client did not request progress. */
  readonly progress: (progress: Progress) => void;
  /** Sends a log message, if the client wants messages of this level. */
  readonly log: (level: LogLevel, data: unknown, logger?: string) => void;
  /** Sends an elicitation to the user and waits for the response. The handler then continues where it stopped. */
  readonly elicit: <Given extends Schema>(
    request: ElicitRequest<Given>,
    options?: ElicitOptions,
  ) => Promise<ElicitResult<Given>>;
  /** Lets the model of the client answer, and waits for it. */
  readonly sample: (request: SampleRequest, options?: ElicitOptions) => Promise<SampleResult>;
  /** Returns the folders and files that the client works in. */
  readonly roots: (options?: ElicitOptions) => Promise<readonly Root[]>;
}

/** The era-specific part of a call. `request` may change while the handler is suspended. */
export interface CallLink {
  readonly era: 'legacy' | 'modern';
  readonly request: IncomingRequest;
  readonly client: ServedClient;
  readonly signal: AbortSignal;
  readonly logLevel: LogLevel | undefined;
  /** The capabilities that the client declared. */
  readonly capabilities: unknown;
  notify(method: string, params: unknown): void;
  /** Sends a request of this call to the client. Resolves with the unchecked response. */
  requestClient(
    method: string,
    params: Readonly<Record<string, unknown>>,
    options?: InputRequestOptions,
  ): Promise<unknown>;
}

/** Creates its members lazily, because most handlers use none. Handlers may destructure it. */
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
      // In the modern era, log messages belong to a request and must not follow its response.
      if (link.era === 'modern' && link.request.isAnswered) return;
      if (wanted === undefined || LOG_LEVELS.indexOf(level) < LOG_LEVELS.indexOf(wanted)) return;
      // Data that cannot be serialized must not fail the call.
      const sendable = toJson(data) === undefined ? messageOf(data) : data;
      const message = { level, data: sendable };
      link.notify('notifications/message', logger === undefined ? message : { ...message, logger });
    };
  }

  get elicit(): ToolContext['elicit'] {
    const link = this.#link;
    return async (request, options) => (await loadClientRequests()).elicit(link, request, options);
  }

  get sample(): ToolContext['sample'] {
    const link = this.#link;
    return async (request, options) => (await loadClientRequests()).sample(link, request, options);
  }

  get roots(): ToolContext['roots'] {
    const link = this.#link;
    return async (options) => (await loadClientRequests()).listRoots(link, options);
  }
}

let clientRequests: Promise<typeof ClientRequests> | undefined;

/** Most handlers send no requests to their client, so that the code is loaded with the first one. */
function loadClientRequests() {
  clientRequests ??= import('./client-requests/client-requests.ts');
  return clientRequests;
}

export function metaOf(params: unknown): Readonly<Record<string, unknown>> {
  return isObject(params) && isObject(params['_meta']) ? params['_meta'] : {};
}
