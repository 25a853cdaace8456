import { toJsonRpcError } from '../../base/error-translation.ts';
import { AppError, toAppError } from '../../base/errors.ts';
import type { Redactor } from '../../base/redaction/redact.ts';
import { redactError } from '../../base/redaction/redact-error.ts';
import { createEntryRedactor } from '../../config/secrets/config-redactor.ts';
import { errorText, resultText } from '../../wire/messages.ts';
import { idTextOf } from '../../wire/relay/id-text.ts';
import { LIST_METHODS, type Listing, type ListKind, readListing } from '../catalog/listing.ts';
import { Connection } from '../connection/connection.ts';
import { handshake, toInitializeParams } from '../connection/handshake.ts';
import { OwnRequest, type RequestHooks, type RequestOptions, type RequestParams } from '../connection/own-request.ts';
import type { ReceivedMessage } from '../connection/redact-messages.ts';
import { describeStartFailure } from '../lifecycle/start-failure.ts';
import { STARTUP_TIMEOUT_MS } from '../limits.ts';
import type { InitializeResult } from '../state.ts';
import type { OpenTransport } from '../transports/transport.ts';
import type { EntryTransport, OpenSingleOptions } from './open-single-entry.ts';

export interface ConnectOptions extends OpenSingleOptions {
  /** Client capabilities offered to the server. Without handlers there are none. */
  readonly capabilities?: Readonly<Record<string, unknown>> | undefined;
  /** Handles requests of the server. Returns the result or throws. */
  readonly onRequest?: ((method: string, params: unknown) => unknown) | undefined;
  readonly onNotification?: ((method: string, params: unknown) => void) | undefined;
  readonly startupTimeoutMs?: number | undefined;
  /** Called once, before the handshake, with a function that returns the last lines of stderr at any later time. */
  readonly onOutput?: ((stderrTail: () => readonly string[]) => void) | undefined;
  /** Aborts connecting. */
  readonly signal?: AbortSignal | undefined;
  /** Opens the transport, in place of the one in the entry. */
  readonly open?: OpenTransport | undefined;
}

/** One initialized server. It runs until `close`. */
export interface ConnectedServer {
  readonly initializeResult: InitializeResult;
  /** Masks the secrets that were passed to the server. */
  readonly redactor: Redactor;
  /** Location of the server: a process id or an address. */
  readonly where: string | undefined;
  /** Resolves with the result; rejects with the server's error or our own. */
  request(method: string, params?: RequestParams, options?: RequestOptions & RequestHooks): Promise<unknown>;
  /** Fetches a whole list, all pages, as sent by the server. */
  list(kind: ListKind, timeoutMs?: number): Promise<Listing>;
  /** Returns the last lines of stderr. */
  stderrTail(): readonly string[];
  /** Returns one sentence about text that the server printed on stdout; undefined if there is none. */
  strayOutput(): string | undefined;
  close(): Promise<void>;
}

/** Default request timeout. */
const REQUEST_TIMEOUT_MS = 30_000;

/** Connects to the server of an entry and runs the handshake. Leaves nothing running if that fails. */
export async function connectServer(options: ConnectOptions): Promise<ConnectedServer> {
  const { entry, capabilities = {}, onStep } = options;
  const transport = await openTransport(options);
  const secrets = createEntryRedactor(options.environment, entry);
  secrets.setTokenSource(transport.tokens);
  const connection: Connection = new Connection(
    { serverId: entry.id, redactor: secrets },
    {
      request: (message, frame) => void answerServerRequest(connection, { message, frame }, options),
      notification: (message) => options.onNotification?.(String(message.method), message.params),
      invalidMessage() {},
      // Nothing reconnects here, so calls that were never sent fail as well.
      end(reason, unsent) {
        for (const call of unsent) call.fail(reason);
      },
    },
  );
  const close = async (reason = new AppError('CONNECTION_CLOSED', `${entry.id} is being closed.`)) => {
    await connection.close(reason);
    await transport.close();
  };
  const cancel = () => void connection.close(new AppError('CANCELLED', `The start of ${entry.id} was cancelled.`));
  if (options.signal?.aborted === true) cancel();
  options.signal?.addEventListener('abort', cancel, { once: true });
  options.onOutput?.(() => connection.stderrTail());
  try {
    await connection.open(transport.open);
    if (entry.transport.kind === 'stdio') onStep?.('reached', connection.where ?? '');
    const timeoutMs = options.startupTimeoutMs ?? entry.startupTimeoutMs ?? STARTUP_TIMEOUT_MS;
    const initializeResult = await handshake(connection, toInitializeParams(capabilities), timeoutMs);
    onStep?.('initialized', connection.where ?? '');
    return {
      initializeResult,
      redactor: secrets,
      where: connection.where,
      request(method, requestParams = {}, requestOptions = {}) {
        const request = new OwnRequest(method, requestParams, requestOptions);
        connection.call(request, requestOptions.timeoutMs ?? entry.requestTimeoutMs ?? REQUEST_TIMEOUT_MS);
        request.cancelOnAbort(requestOptions.signal, (reason) => connection.cancel(request, reason));
        return request.value();
      },
      list: (kind, limitMs = entry.requestTimeoutMs ?? REQUEST_TIMEOUT_MS) =>
        readListing(kind, (listParams) => {
          const request = new OwnRequest(LIST_METHODS[kind], listParams, { acceptsAnyDepth: true });
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

/**
 * Opens the transport. Loads `open-single-entry.ts` lazily: a call through a gateway starts no program and resolves no
 * entry.
 */
async function openTransport(options: ConnectOptions): Promise<EntryTransport> {
  if (options.open !== undefined) return { open: options.open, tokens: () => [], close: async () => {} };
  const { openSingleEntry } = await import('./open-single-entry.ts');
  return openSingleEntry(options);
}

async function answerServerRequest(
  connection: Connection,
  { message, frame }: ReceivedMessage,
  { onRequest }: ConnectOptions,
): Promise<void> {
  const idText = idTextOf(message, frame);
  const { method, params } = message;
  try {
    if (method === 'ping') return connection.send(resultText(idText, {}));
    if (onRequest === undefined) throw new AppError('METHOD_NOT_FOUND', `${String(method)} is not supported here.`);
    connection.send(resultText(idText, await onRequest(String(method), params)));
  } catch (error) {
    connection.send(errorText(idText, toJsonRpcError(toAppError(error))));
  }
}
