import { chmodSync, unlinkSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { toJsonRpcError } from '../../base/error-translation.ts';
import { AppError, messageOf } from '../../base/errors.ts';
import type { Environment } from '../../config/files/folders.ts';
import { errorText } from '../../wire/messages.ts';
import { createByteBudget } from '../../wire/stream/byte-budget.ts';
import { createChallenge } from './challenge.ts';
import {
  type Attach,
  acceptControlConnection,
  type ControlConnection,
  type ControlConnectionOptions,
} from './control-connection.ts';
import { removeDeadSockets } from './running-instances.ts';
import { isLastResort, newSocketAddress, prepareFolder, socketFolders } from './socket-paths.ts';

export interface ControlSocketOptions {
  readonly environment: Environment;
  /** Answers a request. A throw becomes an error response. */
  readonly answer: (method: string, params: unknown) => unknown;
  /** Attaches a connection to one server. Without it, `mcp.attach` is refused. */
  readonly attach?: Attach;
  /** Called with a one-line reason if no socket could be opened. */
  readonly onProblem: (text: string) => void;
}

/** The private control socket of this process. */
export interface ControlSocket {
  readonly address: string;
  /**
   * Removes the socket file immediately: new connections fail, existing ones stay open. For a process about to exit.
   */
  withdraw(): void;
  /** Closes all connections and removes the socket. May be called twice. Never throws. */
  close(): Promise<void>;
}

/**
 * Opens the socket on which other processes of the same user request our status. Resolves with undefined if no socket
 * can be opened, which affects nothing else. The socket never keeps the process alive.
 */
export async function openControlSocket(options: ControlSocketOptions): Promise<ControlSocket | undefined> {
  const { environment, onProblem } = options;
  // If no command ever looks for running processes, nothing else removes the sockets of killed ones.
  removeDeadSockets(environment);
  const reasons: string[] = [];
  for (const folder of socketFolders(environment)) {
    try {
      return await listenIn(folder, options);
    } catch (error) {
      reasons.push(messageOf(error));
    }
  }
  onProblem(`This switchboard cannot be asked for its state: ${reasons.join('; ') || 'no place is short enough'}.`);
  return undefined;
}

/** The maximum number of concurrent connections that are not attached. Further connections are queued. */
export const MAX_CONNECTIONS = 64;
/** The maximum number of concurrent attached connections. They are long-lived, so `MAX_CONNECTIONS` excludes them. */
export const MAX_ATTACHED = 64;
/** The maximum number of queued connections. Further connections get a `BUSY` error. */
const MAX_QUEUED = 1024;
/** The maximum number of unread bytes over all connections. Beyond it, the connection with the most is closed. */
const MAX_UNREAD_BYTES = 256 * 1024 * 1024;
/** The maximum number of bytes of incomplete messages over all connections. */
const MAX_UNFINISHED_BYTES = 256 * 1024 * 1024;

async function listenIn(folder: string, options: ControlSocketOptions): Promise<ControlSocket> {
  const { platform } = options.environment;
  if (platform !== 'win32') prepareFolder(folder);
  const address = newSocketAddress(folder, options.environment);
  const { answer } = options;
  const attach = isLastResort(folder) ? undefined : options.attach;
  const connections = createConnections({ answer, attach }, platform === 'win32' ? undefined : folder);
  // Half-open: a peer that has ended its side still waits for its response.
  const server = createServer({ allowHalfOpen: true }, connections.arrive);
  // Also removes the socket if the process exits without `close`, for example in a crash.
  const removeSocketFile = () => removeSocket(address);
  process.once('exit', removeSocketFile);
  try {
    await listening(server, address);
  } catch (error) {
    process.off('exit', removeSocketFile);
    throw error;
  }
  server.unref();
  // A failed accept affects only the process that tried to connect.
  server.on('error', () => {});
  let closing: Promise<void> | undefined;
  const close = async () => {
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    connections.leave();
    removeSocketFile();
    process.off('exit', removeSocketFile);
    await closed;
  };
  const control: ControlSocket = {
    address,
    withdraw: removeSocketFile,
    close() {
      closing ??= close();
      return closing;
    },
  };
  try {
    if (platform !== 'win32') chmodSync(address, 0o600);
  } catch (error) {
    await control.close();
    throw error;
  }
  return control;
}

function listening(server: Server, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    // The system creates the socket synchronously within `listen`, so the umask makes it private from the start.
    const restoreUmask = restrictUmask();
    server.listen({ path, backlog: MAX_QUEUED }, () => {
      server.off('error', reject);
      resolve();
    });
    restoreUmask();
  });
}

/** Makes new files private to the current user until the returned function is called. */
function restrictUmask(): () => void {
  try {
    const usual = process.umask(0o177);
    return () => void process.umask(usual);
  } catch {
    // Worker threads cannot change the umask. The folder keeps other users out, and the mode is set afterwards.
    return () => {};
  }
}

function removeSocket(address: string): void {
  try {
    unlinkSync(address);
  } catch {
    // The file was already removed, or the address is a pipe.
  }
}

/** Tracks open and queued connections. `folder` holds the socket; undefined for a pipe. */
function createConnections(
  { answer, attach }: Pick<ControlConnectionOptions, 'answer' | 'attach'>,
  folder: string | undefined,
) {
  const connections = new Set<ControlConnection>();
  const queued: Socket[] = [];
  const unfinishedBytes = createByteBudget(MAX_UNFINISHED_BYTES);
  /** Closes the connections with the most unread bytes until the total is within `MAX_UNREAD_BYTES`. */
  const enforceUnreadLimit = () => {
    for (;;) {
      const [worst, ...others] = [...connections].toSorted((a, b) => b.queuedBytes() - a.queuedBytes());
      const unread = others.reduce((sum, connection) => sum + connection.queuedBytes(), worst?.queuedBytes() ?? 0);
      if (worst === undefined || unread <= MAX_UNREAD_BYTES) return;
      worst.close();
    }
  };
  const attachedCount = () => [...connections].filter((connection) => connection.isAttached()).length;

  const attachWithin =
    (attach: Attach): Attach =>
    (wanted, send) => {
      if (attachedCount() >= MAX_ATTACHED) throw busy(`${MAX_ATTACHED} connections are attached`);
      return attach(wanted, send);
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
    const connection = acceptControlConnection(socket, watched);
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
  return new AppError('BUSY', `Too many ask this switchboard at once: ${why}.`);
}
