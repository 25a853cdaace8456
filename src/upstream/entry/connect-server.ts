import { toJsonRpcError } from '../../base/error-translation.ts';
import { AppError, toAppError } from '../../base/errors.ts';
import type { Redactor } from '../../base/redaction/redact.ts';
import { redactError } from '../../base/redaction/redact-error.ts';
import { VERSION } from '../../base/version.ts';
import type { Environment } from '../../config/files/folders.ts';
import { createEntryRedactor } from '../../config/secrets/config-redactor.ts';
import type { ServerEntry } from '../../config/server-entry.ts';
import { errorText, type JsonRpcMessage, resultText } from '../../wire/messages.ts';
import { LIST_METHODS, type Listing, type ListKind, readListing } from '../catalog/listing.ts';
import { OwnRequest } from '../connection/call.ts';
import { Connection } from '../connection/connection.ts';
import { handshake, NEWEST_LEGACY_VERSION } from '../connection/handshake.ts';
import { describeStartFailure } from '../lifecycle/start-failure.ts';
import { STARTUP_TIMEOUT_MS } from '../limits.ts';
import type { InitializeResult } from '../state.ts';
import type { SignIn } from '../transports/http/http-servers.ts';
import type { OpenTransport } from '../transports/transport.ts';
import { type RequestHooks, type RequestOptions, type RequestParams, ValueRequest } from './value-request.ts';

export interface ConnectOptions {
  readonly entry: ServerEntry;
  readonly environment: Environment;
  /** What we can do for the server; without handlers, nothing. */
  readonly capabilities?: Readonly<Record<string, unknown>> | undefined;
  /** Answers what the server asks: its result, or a throw. */
  readonly onRequest?: ((method: string, params: unknown) => unknown) | undefined;
  readonly onNotification?: ((method: string, params: unknown) => void) | undefined;
  /** Signs in when the server wants it; without it nobody is asked, and connecting fails with `SIGN_IN_NEEDED`. */
  readonly signIn?: SignIn | undefined;
  /** Told of each step as it is done. */
  readonly onStep?: ((step: 'reached' | 'known' | 'initialized', what: string) => void) | undefined;
  readonly startupTimeoutMs?: number | undefined;
  /** Gives it up while it is being connected. */
  readonly signal?: AbortSignal | undefined;
  /** Reaches it in another way than its entry says. */
  readonly open?: OpenTransport | undefined;
}

/** One server, connected and greeted. It ends when it is closed. */
export interface ConnectedServer {
  readonly facts: InitializeResult;
  /** Knows the secrets that the server was given. */
  readonly redactor: Redactor;
  /** Where it is: a process id, an address. */
  readonly where: string | undefined;
  /** Resolves with the result; rejects with the server's error or ours. */
  request(method: string, params?: RequestParams, options?: RequestOptions & RequestHooks): Promise<unknown>;
  /** A whole list as the server wrote it, over all its pages. */
  list(kind: ListKind, timeoutMs?: number): Promise<Listing>;
  /** The last that it said beside the protocol. */
  stderrTail(): readonly string[];
  /** One sentence about text that it printed on stdout; undefined when there is none. */
  strayOutput(): string | undefined;
  close(): Promise<void>;
}

/** How long a request may take unless somebody says otherwise. */
const REQUEST_TIMEOUT_MS = 30_000;

/** Connects to one server as its entry says, and greets it. Nothing is left running when that fails. */
export async function connectServer(options: ConnectOptions): Promise<ConnectedServer> {
  const { entry, capabilities = {}, onStep } = options;
  const transport = await openTransport(options);
  const secrets = createEntryRedactor(options.environment.env, entry);
  secrets.setTokenSource(transport.tokens);
  const connection: Connection = new Connection(
    { serverId: entry.id, redactor: secrets },
    {
      request: (message) => void answerServerRequest(connection, message, options),
      notification: (message) => options.onNotification?.(String(message.method), message.params),
      invalidMessage() {},
      // Here nobody connects again: those whose request never left us are told too.
      end(reason, unsent) {
        for (const call of unsent) call.fail(reason);
      },
    },
  );
  const close = async (reason = new AppError('CONNECTION_CLOSED', `${entry.id} is being closed.`)) => {
    await connection.close(reason);
    await transport.close();
  };
  const cancel = () => void connection.close(new AppError('CANCELLED', `${entry.id} was given up while it started.`));
  if (options.signal?.aborted === true) cancel();
  options.signal?.addEventListener('abort', cancel, { once: true });
  try {
    await connection.open(transport.open);
    if (entry.transport.kind === 'stdio') onStep?.('reached', connection.where ?? '');
    const timeoutMs = options.startupTimeoutMs ?? entry.startupTimeoutMs ?? STARTUP_TIMEOUT_MS;
    const clientInfo = { name: 'switchboard', title: 'Switchboard', version: VERSION };
    const params = { protocolVersion: NEWEST_LEGACY_VERSION, capabilities, clientInfo };
    const facts = await handshake(connection, params, timeoutMs);
    onStep?.('initialized', connection.where ?? '');
    return {
      facts,
      redactor: secrets,
      where: connection.where,
      request(method, requestParams = {}, requestOptions = {}) {
        const request = new ValueRequest(method, requestParams, requestOptions, requestOptions);
        connection.call(request, requestOptions.timeoutMs ?? entry.requestTimeoutMs ?? REQUEST_TIMEOUT_MS);
        request.cancelOnAbort(requestOptions.signal, (reason) => connection.cancel(request, reason));
        return request.answered;
      },
      list: (kind, limitMs = entry.requestTimeoutMs ?? REQUEST_TIMEOUT_MS) =>
        readListing(kind, (listParams) => {
          const request = new OwnRequest(LIST_METHODS[kind], listParams, limitMs);
          connection.call(request, limitMs);
          return request.completed;
        }),
      stderrTail: () => connection.stderrTail(),
      strayOutput: () => connection.strayOutput(),
      close: () => close(),
    };
  } catch (error) {
    const stderrTail = connection.stderrTail();
    const strayOutput = connection.strayOutput();
    const failure = describeStartFailure(toAppError(error), stderrTail, strayOutput);
    const { code, message, data, cause } = redactError(failure, secrets);
    const reason = new AppError(code, message, { cause, data: { ...data, lastWords: stderrTail, strayOutput } });
    await close(reason);
    throw reason;
  } finally {
    options.signal?.removeEventListener('abort', cancel);
  }
}

/** How the server is reached, and what has to be closed afterwards. */
export interface EntryTransport {
  readonly open: OpenTransport;
  /** What the server is sent to prove who asks. */
  tokens(): readonly string[];
  close(): Promise<void>;
}

/** A call through a gateway loads nothing that starts programs or resolves entries. */
async function openTransport(options: ConnectOptions): Promise<EntryTransport> {
  if (options.open !== undefined) return { open: options.open, tokens: () => [], close: async () => {} };
  const { openEntry } = await import('./open-entry.ts');
  return openEntry(options);
}

async function answerServerRequest(
  connection: Connection,
  { id, method, params }: JsonRpcMessage,
  { onRequest }: ConnectOptions,
): Promise<void> {
  const idText = JSON.stringify(id);
  try {
    if (method === 'ping') return connection.send(resultText(idText, {}));
    if (onRequest === undefined) throw new AppError('METHOD_NOT_FOUND', `${String(method)} is not known here.`);
    connection.send(resultText(idText, await onRequest(String(method), params)));
  } catch (error) {
    connection.send(errorText(idText, toJsonRpcError(toAppError(error))));
  }
}
