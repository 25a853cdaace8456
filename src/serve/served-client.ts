import { AppError } from '../base/errors.ts';
import { isObject } from '../wire/messages.ts';
import { canElicit, cannotElicit } from './elicitation.ts';
import type { ClientLink } from './eras/era.ts';

/** The client of a connection, as far as it has told us about itself. The same object for all calls of a connection. */
export interface ServedClient {
  /** `clientInfo` as it came. Empty before a hello, and without one. */
  readonly info: ClientInfo;
  /** Whether `ask` can reach a person now. Never in the newer era: there a question is the answer to a call. */
  readonly canBeAsked: boolean;
  /** Sends any notification. Nothing happens once the connection is closed. */
  notify(method: string, params: unknown): void;
  /**
   * Asks the person behind the client, whether one of its calls runs or not: `elicitation/create` with these params.
   * Resolves with the answer as it came, unchecked. Rejects with `CAPABILITY_MISSING`, `TIMED_OUT`, `CANCELLED` (by the
   * signal), `CONNECTION_CLOSED` or, when the client answered with an error, `REQUEST_FAILED`.
   */
  ask(
    params: Readonly<Record<string, unknown>>,
    options: { readonly timeoutMs: number; readonly signal?: AbortSignal },
  ): Promise<unknown>;
  /** Aborted when the client has left. */
  readonly left: AbortSignal;
}

export interface ClientInfo {
  readonly name?: string;
  readonly version?: string;
  readonly title?: string;
}

/** One connection: the way to its client, and what both eras learn about it. */
export interface Connection {
  readonly link: ClientLink;
  readonly client: ServedClient;
  /** The hello of the older era: it counts for the whole connection. */
  initialized(params: unknown): void;
  /** The newer era has no hello: each request says who asks, if it wants to. */
  updateClientInfo(clientInfo: unknown): void;
  disconnect(reason: AppError): void;
}

export function createConnection(link: ClientLink): Connection {
  const left = createLazySignal();
  let clientInfo: unknown;
  let capabilities: unknown;
  let isModern = false;

  const client: ServedClient = {
    get info() {
      return readInfo(clientInfo);
    },
    get canBeAsked() {
      return left.reason() === undefined && canElicit(capabilities);
    },
    notify: (method, params) => link.notify(method, params),
    async ask(params, options) {
      const gone = left.reason();
      if (gone !== undefined) throw gone;
      if (isModern) throw onlyInCalls();
      if (!canElicit(capabilities)) throw cannotElicit();
      return link.request('elicitation/create', params, options);
    },
    get left() {
      return left.signal();
    },
  };

  return {
    link,
    client,
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

/** A signal that is made when somebody asks for it: most connections end without anybody who does. */
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
    'A client of this protocol version can be asked only by a call of its own: use elicit() of the call.',
    { data: { requiredCapabilities: { elicitation: {} } } },
  );
}
