import { toJsonRpcError } from '../../../base/error-translation.ts';
import { AppError } from '../../../base/errors.ts';
import { type ParamHeader, readParamHeaders } from '../../../schema/param-headers.ts';
import { type Frame, frameBytes } from '../../../wire/frame.ts';
import { outgoingText } from '../../../wire/json/splice.ts';
import { errorText } from '../../../wire/messages.ts';
import { checkComplexity } from '../../../wire/parse-frame.ts';
import type { Exchange } from '../../../wire/rpc/exchange.ts';
import type { ServedClient } from '../../served-client.ts';
import { openServedConnection } from '../../served-connection.ts';
import type { Server } from '../../server.ts';
import type { DefinedTool } from '../../tools/tool-definition.ts';
import type { HttpEndpoint } from './endpoint.ts';

export interface ServerEndpointOptions {
  /** Called with each client before its first message. */
  readonly onClient?: (client: ServedClient) => void;
  /** Rewrites each message for the client. The result must be valid JSON. */
  readonly rewrite?: (message: string) => string;
}

/** Creates the endpoint of a server: each client gets a connection of its own. */
export function createServerEndpoint(server: Server, { onClient, rewrite }: ServerEndpointOptions = {}): HttpEndpoint {
  const declared = new WeakMap<DefinedTool, readonly ParamHeader[]>();

  const paramHeaders = (name: string): readonly ParamHeader[] | undefined => {
    const tool = server.catalog.find(name);
    if (tool === undefined) return undefined;
    const known = declared.get(tool) ?? readDeclaration(tool);
    declared.set(tool, known);
    return known.length === 0 ? undefined : known;
  };

  return {
    connect(client, output) {
      const connection = openServedConnection(server, {
        send: (text) => output.send(rewrite === undefined ? text : rewrite(text)),
        reach: () => (output.isListening ? 'stream' : 'calls'),
        era: client.era,
        onInvalidMessage: respondWithError,
        onSettings: client.saveSettings,
      });
      const { peer } = connection;
      onClient?.(connection.client);
      const rewritten = rewrite === undefined ? undefined : createRewriter(rewrite);
      if (client.restored !== undefined) connection.restore(client.restored.initializeParams, client.restored);
      return {
        receive(frame, exchange) {
          const text = readText(frame, exchange);
          if (text !== undefined) peer.receive(text, rewritten?.(exchange) ?? exchange);
        },
        abandon(exchange) {
          if (client.era === 'modern') peer.abandon(rewritten?.(exchange) ?? exchange, closedByClient());
        },
        get isBusy() {
          return connection.isBusy;
        },
        close(reason) {
          connection.close();
          connection.disconnect(reason);
          peer.rejectPending(reason);
          // The streams of changes end with a response, which is sent in this turn of the event loop.
          setImmediate(() => peer.close(reason));
        },
        paramHeaders,
      };
    },
  };
}

/** Returns a function that wraps an exchange, always in the same object: the peer recognizes an exchange by it. */
function createRewriter(rewrite: (message: string) => string): (exchange: Exchange) => Exchange {
  const wrapped = new WeakMap<Exchange, Exchange>();
  return (exchange) => {
    const known = wrapped.get(exchange) ?? {
      send: (message) => exchange.send(rewrite(outgoingText(message))),
      respond: (message) => exchange.respond(message === undefined ? undefined : rewrite(outgoingText(message))),
    };
    wrapped.set(exchange, known);
    return known;
  };
}

/** Clients ignore a tool with an invalid declaration, so it requires no headers. */
function readDeclaration({ tool }: DefinedTool): readonly ParamHeader[] {
  const headers = readParamHeaders(tool.inputSchema);
  return typeof headers === 'string' ? [] : headers;
}

function readText(frame: Frame, exchange: Exchange): string | undefined {
  const bytes = frameBytes(frame);
  try {
    checkComplexity(bytes);
    return bytes.toString('utf8');
  } catch (error) {
    exchange.respond(errorText('null', toJsonRpcError(error)));
    return undefined;
  }
}

function respondWithError(error: AppError, exchange: Exchange): void {
  const problem = error.cause instanceof Error ? `: ${error.cause.message}` : '';
  const message = `The body is not valid JSON${problem}.`;
  exchange.respond(errorText('null', toJsonRpcError(new AppError('PARSE_FAILED', message, { cause: error }))));
}

function closedByClient(): AppError {
  return new AppError('CANCELLED', 'The client closed the response.');
}
