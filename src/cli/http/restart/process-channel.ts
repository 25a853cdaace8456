import { Socket } from 'node:net';
import type { PassConnection, PassedConnection } from '../../../serve/fronts/http/connections.ts';
import { isObject } from '../../../wire/messages.ts';

/** The messages between two processes of one gateway, besides connections. */
type RestartMessage =
  /** The next process is loaded and holds the connections that it gets. */
  | 'ready'
  /** The next process may serve them. */
  | 'continue'
  /** The process must pass on its connections and exit. */
  | 'hand-over'
  /** The process has stopped serving. Long calls may still be running in it. */
  | 'handed-over';

/** One end of the channel between the process that listens and one that serves. */
export interface ProcessChannel {
  send(message: RestartMessage): void;
  readonly pass: PassConnection;
  /** Resolves when all connections that were offered have arrived, or the other process has exited. */
  passed(): Promise<void>;
}

/** A child process, or this process itself for the channel to its parent. */
interface ChannelEnd {
  readonly connected: boolean;
  on(event: 'message', listener: (message: unknown, handle: unknown) => void): unknown;
  on(event: 'disconnect', listener: () => void): unknown;
  send?(message: object, handle: Socket | undefined, options: object, sent: () => void): boolean;
}

interface ChannelHandlers {
  receive(message: string): void;
  accept(connection: PassedConnection): void;
}

export function openProcessChannel(end: ChannelEnd, { receive, accept }: ChannelHandlers): ProcessChannel {
  const offers: Parameters<PassConnection>[0][] = [];
  /**
   * Whether a connection is on its way. Only one at a time, because Node reads from a socket that is queued for
   * sending.
   */
  let isSending = false;
  const waiting: (() => void)[] = [];

  const send = (message: object, socket?: Socket) => {
    if (end.connected) end.send?.(message, socket, {}, ignoreFailure);
  };

  const sendNext = () => {
    while (!isSending && end.connected) {
      const connection = offers.shift()?.();
      if (connection !== undefined) {
        isSending = true;
        send({ kind: 'connection', isNew: connection.isNew }, connection.socket);
      } else if (offers.length === 0) break;
    }
    if (!isSending || !end.connected) for (const resolve of waiting.splice(0)) resolve();
  };

  end.on('message', (message: unknown, handle: unknown) => {
    if (!isObject(message)) return;
    if (message['kind'] === 'received') {
      isSending = false;
      sendNext();
    } else if (message['kind'] === 'connection') {
      if (handle instanceof Socket) accept({ socket: handle, isNew: message['isNew'] === true });
      send({ kind: 'received' });
    } else receive(String(message['kind']));
  });
  end.on('disconnect', sendNext);

  return {
    send: (kind) => send({ kind }),
    pass(take) {
      offers.push(take);
      sendNext();
    },
    passed: () =>
      new Promise((resolve) => {
        waiting.push(resolve);
        sendNext();
      }),
  };
}

/** A send fails only when the other process has exited, which is handled there. */
function ignoreFailure(): void {}
