import { toJsonRpcError } from '../../../base/error-translation.ts';
import { AppError } from '../../../base/errors.ts';
import { type ParamHeader, readParamHeaders } from '../../../schema/param-headers.ts';
import { type Frame, frameBytes } from '../../../wire/frame.ts';
import { errorText } from '../../../wire/messages.ts';
import { checkComplexity } from '../../../wire/parse-frame.ts';
import type { Exchange } from '../../../wire/rpc/exchange.ts';
import { openServedConnection } from '../../served-connection.ts';
import type { Server } from '../../server.ts';
import type { DefinedTool } from '../../tools/tool-definition.ts';
import type { HttpEndpoint } from './endpoint.ts';

/** Creates the endpoint of a server: each client gets a connection of its own. */
export function createServerEndpoint(server: Server): HttpEndpoint {
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
        send: (text) => output.send(text),
        era: client.era,
        onInvalidMessage: respondWithError,
        onSettings: client.saveSettings,
      });
      const { peer } = connection;
      if (client.restored !== undefined) connection.restore(client.restored.initializeParams, client.restored);
      return {
        receive(frame, exchange) {
          const text = readText(frame, exchange);
          if (text !== undefined) peer.receive(text, exchange);
        },
        abandon(exchange) {
          if (client.era === 'modern') peer.abandon(exchange, closedByClient());
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
