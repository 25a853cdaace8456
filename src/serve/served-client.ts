import { AppError } from '../base/errors.ts';
import { isObject } from '../wire/messages.ts';
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
  /** Sends any notification. Does nothing once the connection is closed. */
  notify(method: string, params: unknown): void;
  /**
   * Sends `elicitation/create` with these params, whether or not a call of the client is pending. Resolves with the
   * unchecked response. Rejects with `CAPABILITY_MISSING`, `TIMED_OUT`, `CANCELLED` (by the signal),
   * `CONNECTION_CLOSED` or, if the client responded with an error, `REQUEST_FAILED`.
   */
  ask(
    params: Readonly<Record<string, unknown>>,
    options: { readonly timeoutMs: number; readonly signal?: AbortSignal },
  ): Promise<unknown>;
  /** Aborted when the client has disconnected. */
  readonly left: AbortSignal;
}

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

export function createConnection(link: ClientLink): Connection {
  const left = createLazySignal();
  let clientInfo: unknown;
  let capabilities: unknown;
  let isModern = false;

  const ask = async (params: Readonly<Record<string, unknown>>, options: RequestOptions) => {
    const gone = left.reason();
    if (gone !== undefined) throw gone;
    if (isModern) throw onlyInCalls();
    if (!canElicit(capabilities)) throw cannotElicit();
    return link.request('elicitation/create', params, options);
  };

  const client: ServedClient = {
    get info() {
      return readInfo(clientInfo);
    },
    get canBeAsked() {
      return left.reason() === undefined && canElicit(capabilities);
    },
    notify: (method, params) => link.notify(method, params),
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
