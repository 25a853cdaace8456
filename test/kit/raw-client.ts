import type { Server } from '../../src/kit/index.ts';
import { createMemoryPair } from '../../src/kit/memory-transport.ts';
import { serveClient } from '../../src/serve/serve-client.ts';

interface Answer {
  readonly id: number;
  readonly result?: Readonly<Record<string, unknown>>;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

/** A notification, or a server request, which has an id. */
interface ServerMessage {
  readonly id?: number;
  readonly method: string;
  readonly params?: Readonly<Record<string, unknown>>;
}

export interface RawClient {
  /** Messages from the server other than responses, oldest first. */
  readonly notifications: readonly ServerMessage[];
  request(method: string, params?: unknown): Promise<Answer>;
  notify(method: string, params?: unknown): void;
  /** Sends any value. */
  send(message: unknown): void;
  close(): Promise<void>;
}

/** A client that writes every byte of its requests itself. */
export function openRawClient(server: Server): RawClient {
  const [ours, theirs] = createMemoryPair();
  const waiting = new Map<number, (answer: Answer) => void>();
  const notifications: ServerMessage[] = [];
  let lastId = 0;
  ours.start({
    message(text) {
      const message = JSON.parse(text);
      if (message.method === undefined) waiting.get(message.id)?.(message);
      else notifications.push(message);
    },
    fault: () => undefined,
    end: () => undefined,
    stop: () => undefined,
  });
  const served = serveClient(server, theirs);
  const send = (message: unknown) => ours.send(JSON.stringify(message));
  return {
    notifications,
    send,
    request: (method, params) =>
      new Promise((resolve) => {
        lastId++;
        waiting.set(lastId, resolve);
        send({ jsonrpc: '2.0', id: lastId, method, params });
      }),
    notify: (method, params) => send({ jsonrpc: '2.0', method, params }),
    async close() {
      await ours.close();
      await served;
    },
  };
}
