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
  /** What a request is answered with; a throw becomes an error answer. */
  readonly answer: (method: string, params: unknown) => unknown;
  /** Joins a connection to one server; without it nobody can be joined. */
  readonly attach?: Attach;
  /** Told in one line why nobody can ask. */
  readonly onProblem: (text: string) => void;
}

/** The private socket of this process. */
export interface ControlSocket {
  readonly address: string;
  /** Removes the socket at once: nobody else connects, and who is connected stays. For a process that is about to end. */
  withdraw(): void;
  /** Ends all connections and removes the socket. May be called twice, never throws. */
  close(): Promise<void>;
}

/**
 * Lets this user's other processes ask for our state. Undefined when no socket can be had: nothing else suffers from
 * that. It never keeps a process alive.
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

/** At once; those who come meanwhile wait for a place. */
export const MAX_CONNECTIONS = 64;
/** At once. They stay for long, so they do not count among those who ask. */
export const MAX_ATTACHED = 64;
/** More than these are told that we are busy. */
const MAX_QUEUED = 1024;
/** What all of them together have not read yet; beyond it the one with the most is hung up on. */
const MAX_UNREAD_BYTES = 256 * 1024 * 1024;
/** Those who are attached hold together so much of messages that have not ended. */
const MAX_UNFINISHED_BYTES = 256 * 1024 * 1024;

async function listenIn(folder: string, options: ControlSocketOptions): Promise<ControlSocket> {
  const { platform } = options.environment;
  if (platform !== 'win32') prepareFolder(folder);
  const address = newSocketAddress(folder, options.environment);
  const { answer } = options;
  const attach = isLastResort(folder) ? undefined : options.attach;
  const connections = createConnections({ answer, attach }, platform === 'win32' ? undefined : folder);
  // Half open: one who has asked and says no more still waits for the answer.
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
  // A failed accept is the trouble of the one who came.
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
    // The socket is made within this call, and for us alone from its first moment.
    const restoreUmask = restrictUmask();
    server.listen({ path, backlog: MAX_QUEUED }, () => {
      server.off('error', reject);
      resolve();
    });
    restoreUmask();
  });
}

/** Whatever is made until the result is called is open to nobody else. */
function restrictUmask(): () => void {
  try {
    const usual = process.umask(0o177);
    return () => void process.umask(usual);
  } catch {
    // A worker of a program may not; the folder keeps others out, and the mode is set afterwards.
    return () => {};
  }
}

function removeSocket(address: string): void {
  try {
    unlinkSync(address);
  } catch {
    // The system has removed it already, or it is no file at all.
  }
}

/** Everybody who is connected, and who waits for that. `folder` is that of the socket; a pipe has none. */
function createConnections(
  { answer, attach }: Pick<ControlConnectionOptions, 'answer' | 'attach'>,
  folder: string | undefined,
) {
  const connections = new Set<ControlConnection>();
  const queued: Socket[] = [];
  const unfinishedBytes = createByteBudget(MAX_UNFINISHED_BYTES);
  /** Whoever asks for much and does not read takes the room of all: the worst of them has to go. */
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
      // Whoever breaks the connection is told nothing, and nobody else is concerned.
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
