/** A message as it came. */
export interface Message {
  readonly id?: string | number;
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly result?: unknown;
  readonly error?: unknown;
}

/** Everything that one client was sent, for whoever must see more than the typed helpers of an SDK give. */
export interface Inbox {
  /** Oldest first. */
  readonly received: readonly Message[];
  /** The params of all notifications of this method. */
  notified(method: string): readonly (Message['params'] | undefined)[];
  /** The first message for which this holds, among those that came and those that will. */
  waitFor(isWanted: (message: Message) => boolean): Promise<Message>;
}

interface Messenger {
  onmessage?: ((message: never, extra?: never) => void) | undefined;
  start(): Promise<void>;
}

const MAX_WAIT_MS = 30_000;

/** Reads along with the client that is going to be connected to this transport. */
export function recordMessages(transport: Messenger): Inbox {
  const received: Message[] = [];
  const waiting = new Set<() => void>();
  const start = transport.start.bind(transport);
  // A client puts its own hands on the transport before it starts it.
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
          reject(
            new Error(`It did not come in ${MAX_WAIT_MS} ms. The last were ${JSON.stringify(received.slice(-5))}`),
          );
        }, MAX_WAIT_MS);
        waiting.add(look);
        look();
      }),
  };
}
