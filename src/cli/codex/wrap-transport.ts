import type { Transport } from '../../serve/fronts/transport.ts';
import { wellFormedJson } from '../../wire/json/well-formed-json.ts';

/** Calls `listener` before the server learns that the client has left or that it must stop, possibly twice. */
export function beforeEnd(transport: Transport, listener: () => void): Transport {
  return {
    start(receiver) {
      transport.start({
        message: (text) => receiver.message(text),
        fault: (error) => receiver.fault(error),
        end() {
          listener();
          receiver.end();
        },
        stop() {
          listener();
          receiver.stop();
        },
      });
    },
    send: (message) => transport.send(message),
    close: () => transport.close(),
  };
}

/**
 * Sends only well-formed JSON. Results repeat text of the caller: a client as strict as Codex would discard ill-formed
 * JSON and wait forever.
 */
export function sendWellFormed(transport: Transport): Transport {
  return {
    start: (receiver) => transport.start(receiver),
    send: (message) => transport.send(wellFormedJson(message)),
    close: () => transport.close(),
  };
}
