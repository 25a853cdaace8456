import type { Socket } from 'node:net';
import { toJsonRpcError } from '../../base/error-translation.ts';
import { AppError } from '../../base/errors.ts';
import { errorText } from '../../wire/messages.ts';
import { createByteBudget } from '../../wire/stream/byte-budget.ts';
import { createChallenge } from './challenge.ts';
import { type Attach, ControlConnection, type ControlConnectionOptions } from './control-connection.ts';

/** The maximum number of concurrent connections that are not attached. Further connections are queued. */
export const MAX_CONNECTIONS = 64;
/** The maximum number of concurrent attached connections. They are long-lived, so `MAX_CONNECTIONS` excludes them. */
export const MAX_ATTACHED = 64;
/** The maximum number of queued connections. Further connections get a `BUSY` error. */
export const MAX_QUEUED = 1024;
/** The maximum number of unread bytes over all connections. Beyond it, the connection with the most is closed. */
const MAX_UNREAD_BYTES = 256 * 1024 * 1024;
/** The maximum number of bytes of incomplete messages over all connections. */
const MAX_UNFINISHED_BYTES = 256 * 1024 * 1024;

/** Tracks open and queued connections. `folder` holds the socket; undefined for a pipe. */
export function createControlConnections(
  { answer, attach }: Pick<ControlConnectionOptions, 'answer' | 'attach'>,
  folder: string | undefined,
) {
  const connections = new Set<ControlConnection>();
  const queued: Socket[] = [];
  const unfinishedBytes = createByteBudget(MAX_UNFINISHED_BYTES);
  /** Closes the connections with the most unread bytes until the total is within `MAX_UNREAD_BYTES`. */
  const enforceUnreadLimit = () => {
    for (;;) {
      const [worst, ...others] = [...connections].toSorted((a, b) => b.queuedBytes - a.queuedBytes);
      const unread = others.reduce((sum, connection) => sum + connection.queuedBytes, worst?.queuedBytes ?? 0);
      if (worst === undefined || unread <= MAX_UNREAD_BYTES) return;
      worst.close();
    }
  };
  const attachedCount = () => [...connections].filter((connection) => connection.isAttached).length;

  const attachWithin =
    (attach: Attach): Attach =>
    (wanted, connection) => {
      if (attachedCount() >= MAX_ATTACHED) throw busy(`${MAX_ATTACHED} connections are attached`);
      return attach(wanted, connection);
    };
  const limitedAttach = attach && attachWithin(attach);

  const acceptQueued = () => {
    while (connections.size - attachedCount() < MAX_CONNECTIONS) {
      const socket = queued.shift();
      if (socket === undefined) return;
      if (!socket.destroyed) acceptConnection(socket);
    }
  };

  const acceptConnection = (socket: Socket) => {
    const onGone = () => {
      connections.delete(connection);
      acceptQueued();
    };
    const challenge = folder === undefined ? undefined : createChallenge(folder);
    const watched = {
      answer,
      attach: limitedAttach,
      challenge,
      unfinishedBytes,
      onSent: enforceUnreadLimit,
      onAttached: acceptQueued,
      onGone,
    };
    const connection = new ControlConnection(socket, watched);
    connections.add(connection);
  };

  return {
    arrive(socket: Socket) {
      socket.unref();
      // A connection error affects only this peer, and nothing can be sent to it any more.
      socket.on('error', () => {});
      if (queued.length >= MAX_QUEUED) return rejectBusy(socket);
      queued.push(socket);
      acceptQueued();
    },
    leave() {
      for (const socket of queued.splice(0)) socket.destroy();
      for (const connection of connections) connection.close();
    },
  };
}

function rejectBusy(socket: Socket): void {
  socket.end(`${errorText('null', toJsonRpcError(busy(`${MAX_QUEUED} connections wait`)))}\n`);
  socket.destroySoon();
}

function busy(why: string): AppError {
  return new AppError('BUSY', `Too many connections to this Switchboard process at once: ${why}.`);
}
