import { AppError } from '../base/errors.ts';
import { isObject, type RequestId } from '../wire/messages.ts';
import type { Exchange } from '../wire/rpc/exchange.ts';
import type { RequestOptions } from '../wire/rpc/outgoing-requests.ts';
import { canElicit, cannotElicit } from './client-capabilities.ts';
import type { ClientLink } from './eras/era.ts';

/** The client of a connection, as far as it has identified itself. All calls of a connection share the same object. */
export interface ServedClient {
  /** The `clientInfo` of the client. Empty before the handshake, and if the client sends none. */
  readonly info: ClientInfo;
  /**
   * Whether `ask` can reach the user now. Always false in the modern era, where input requests are part of a call's
   * response.
   */
  readonly canBeAsked: boolean;
  /** How a message outside of calls reaches the client now. */
  readonly reach: Reach;
  /**
   * Sends any notification. Does nothing once the connection is closed. Over HTTP, it is part of the response to the
   * related request as long as that request is running.
   */
  notify(method: string, params: unknown, relatedRequestId?: RequestId): void;
  /**
   * Sends `elicitation/create` with these params, whether or not a call of the client is pending. Resolves with the
   * unchecked response. `relatedRequestId` works as for `notify`. Rejects with `CAPABILITY_MISSING`, `TIMED_OUT`,
   * `CANCELLED` (by the signal), `CONNECTION_CLOSED` or, if the client responded with an error, `REQUEST_FAILED`.
   */
  ask(params: Readonly<Record<string, unknown>>, options: AskOptions): Promise<unknown>;
  /** Aborted when the client has disconnected. */
  readonly left: AbortSignal;
}

interface AskOptions {
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
  readonly relatedRequestId?: RequestId | undefined;
}

/**
 * How a message outside of calls reaches a client: `always`, if all messages share one output, as on stdio; on the GET
 * `stream` that a legacy HTTP client has opened; or only in `calls`, as part of the response to one.
 */
export type Reach = 'always' | 'stream' | 'calls';

export interface ClientInfo {
  readonly name?: string;
  readonly version?: string;
  readonly title?: string;
}

/** One connection: the link to its client, and the client's data from both eras. */
export interface Connection {
  readonly link: ClientLink;
  readonly client: ServedClient;
  /** The capabilities in a legacy `initialize`. Undefined in the modern era. */
  readonly capabilities: unknown;
  /** Stores the params of a legacy `initialize`, which apply to the whole connection. */
  initialized(params: unknown): void;
  /** Stores the `clientInfo` of a modern request. The modern era has no handshake, and each request may include one. */
  updateClientInfo(clientInfo: unknown): void;
  disconnect(reason: AppError): void;
}

export interface ConnectionLink extends ClientLink {
  /** Returns the exchange of a running request of the client. */
  exchangeOf(id: RequestId): Exchange | undefined;
  reach(): Reach;
}

export function createConnection(link: ConnectionLink): Connection {
  const left = createLazySignal();
  let clientInfo: unknown;
  let capabilities: unknown;
  let isModern = false;

  /** Returns the options that send a message as part of the response to a running request. */
  const inExchangeOf = (id: RequestId | undefined): Pick<RequestOptions, 'exchange'> => {
    const exchange = id === undefined ? undefined : link.exchangeOf(id);
    return exchange === undefined ? {} : { exchange };
  };

  const ask = async (
    params: Readonly<Record<string, unknown>>,
    { relatedRequestId, ...options }: AskOptions,
  ): Promise<unknown> => {
    const gone = left.reason();
    if (gone !== undefined) throw gone;
    if (isModern) throw onlyInCalls();
    if (!canElicit(capabilities)) throw cannotElicit();
    return link.request('elicitation/create', params, { ...options, ...inExchangeOf(relatedRequestId) });
  };

  const client: ServedClient = {
    get info() {
      return readInfo(clientInfo);
    },
    get canBeAsked() {
      return left.reason() === undefined && canElicit(capabilities);
    },
    get reach() {
      return link.reach();
    },
    notify: (method, params, relatedRequestId) => link.notify(method, params, inExchangeOf(relatedRequestId).exchange),
    ask,
    get left() {
      return left.signal();
    },
  };

  return {
    link,
    client,
    get capabilities() {
      return capabilities;
    },
    initialized(params) {
      isModern = false;
      clientInfo = isObject(params) ? params['clientInfo'] : undefined;
      capabilities = isObject(params) ? params['capabilities'] : undefined;
    },
    updateClientInfo(info) {
      isModern = true;
      capabilities = undefined;
      if (info !== undefined) clientInfo = info;
    },
    disconnect: left.abort,
  };
}

/** Creates an abort signal on first use, because most connections never need it. */
function createLazySignal() {
  let controller: AbortController | undefined;
  let reason: AppError | undefined;
  return {
    reason: () => reason,
    signal(): AbortSignal {
      controller ??= new AbortController();
      if (reason !== undefined) controller.abort(reason);
      return controller.signal;
    },
    abort(why: AppError): void {
      reason ??= why;
      controller?.abort(reason);
    },
  };
}

function readInfo(clientInfo: unknown): ClientInfo {
  const { name, version, title } = isObject(clientInfo) ? clientInfo : {};
  return {
    ...(typeof name === 'string' ? { name } : {}),
    ...(typeof version === 'string' ? { version } : {}),
    ...(typeof title === 'string' ? { title } : {}),
  };
}

function onlyInCalls(): AppError {
  return new AppError(
    'CAPABILITY_MISSING',
    'With this protocol version, a server can elicit only during a call: use context.elicit().',
    { data: { requiredCapabilities: { elicitation: {} } } },
  );
}
