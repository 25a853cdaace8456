import type { HttpConnection, HttpOutput } from '../../serve/fronts/http/endpoint.ts';
import type { Exchange } from '../../wire/rpc/exchange.ts';
import type { Trace } from '../trace/trace.ts';

/** Records every message of an HTTP client. */
export function traceConnection(
  trace: Trace,
  output: HttpOutput,
  open: (output: HttpOutput) => HttpConnection,
): HttpConnection {
  const tap = trace.tapClient();
  const connection = open({
    send: tap.send((message) => output.send(message)),
    get isListening() {
      return output.isListening;
    },
  });
  /** By the exchange of the front, which also names the one to abandon. */
  const traced = new WeakMap<Exchange, Exchange>();
  return {
    receive(frame, exchange, parts) {
      const wrapped: Exchange = {
        send: tap.send((message) => exchange.send(message)),
        respond(message) {
          if (message === undefined) exchange.respond(undefined);
          else tap.send((response) => exchange.respond(response))(message);
        },
      };
      traced.set(exchange, wrapped);
      tap.receive((received) => connection.receive(received, wrapped, parts))(frame);
    },
    abandon: (exchange) => connection.abandon(traced.get(exchange) ?? exchange),
    get isBusy() {
      return connection.isBusy;
    },
    close: (reason) => connection.close(reason),
    paramHeaders: (tool) => connection.paramHeaders?.(tool),
  };
}
