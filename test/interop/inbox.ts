/** A received message. */
export interface Message {
  readonly id?: string | number;
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly result?: unknown;
  readonly error?: unknown;
}

/** Every message that a client received, including those that the SDK's typed helpers hide. */
export interface Inbox {
  /** Oldest first. */
  readonly received: readonly Message[];
  /** The params of all notifications of this method. */
  notified(method: string): readonly (Message['params'] | undefined)[];
  /** Resolves with the first matching message, past or future. */
  waitFor(isWanted: (message: Message) => boolean): Promise<Message>;
}

interface Messenger {
  onmessage?: ((message: never, extra?: never) => void) | undefined;
  start(): Promise<void>;
}

const MAX_WAIT_MS = 30_000;

/** Records the messages of the client that will be connected to this transport. */
export function recordMessages(transport: Messenger): Inbox {
  const received: Message[] = [];
  const waiting = new Set<() => void>();
  const start = transport.start.bind(transport);
  // The client sets its own handlers on the transport before it starts it.
  transport.start = async () => {
    const deliver = transport.onmessage;
    transport.onmessage = (message, extra) => {
      received.push(message);
      for (const look of waiting) look();
      deliver?.(message, extra);
    };
    await start();
  };
  return {
    received,
    notified: (method) => received.filter((message) => message.method === method).map(({ params }) => params),
    waitFor: (isWanted) =>
      new Promise((resolve, reject) => {
        const look = () => {
          const found = received.find(isWanted);
          if (found === undefined) return;
          clearTimeout(timer);
          waiting.delete(look);
          resolve(found);
        };
        const timer = setTimeout(() => {
          waiting.delete(look);
          reject(new Error(`Timed out after ${MAX_WAIT_MS} ms. Last messages: ${JSON.stringify(received.slice(-5))}`));
        }, MAX_WAIT_MS);
        waiting.add(look);
        look();
      }),
  };
}
