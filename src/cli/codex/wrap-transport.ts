import type { Transport } from '../../serve/fronts/transport.ts';
import { wellFormedJson } from '../../wire/json/well-formed-json.ts';

export interface TransportObserver {
  /** Called with every message before the server receives it. */
  message(text: string): void;
  /** Called before the server learns that the client has disconnected or that it must stop. May be called twice. */
  left(): void;
}

/** Reports what the client sends, and that it has left. */
export function observeTransport(transport: Transport, observer: TransportObserver): Transport {
  return {
    start(receiver) {
      transport.start({
        message(text) {
          observer.message(text);
          receiver.message(text);
        },
        fault: (error) => receiver.fault(error),
        end() {
          observer.left();
          receiver.end();
        },
        stop() {
          observer.left();
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
