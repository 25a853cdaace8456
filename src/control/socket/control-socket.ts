import { chmodSync, renameSync, unlinkSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { messageOf } from '../../base/errors.ts';
import type { Environment } from '../../config/files/folders.ts';
import type { Attach } from './control-connection.ts';
import { createControlConnections, MAX_QUEUED } from './control-connections.ts';
import { removeDeadSockets } from './running-instances.ts';
import { isLastResort, newSocketAddress, openingPath, prepareFolder, socketFolders } from './socket-paths.ts';

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
  onProblem(
    `The status of this Switchboard process cannot be queried: ${reasons.join('; ') || 'no place is short enough'}.`,
  );
  return undefined;
}

async function listenIn(folder: string, options: ControlSocketOptions): Promise<ControlSocket> {
  const { platform } = options.environment;
  if (platform !== 'win32') prepareFolder(folder);
  const address = newSocketAddress(folder, options.environment);
  const { answer } = options;
  const attach = isLastResort(folder) ? undefined : options.attach;
  const connections = createControlConnections({ answer, attach }, platform === 'win32' ? undefined : folder);
  // Half-open: a peer that has ended its side still waits for its response.
  const server = createServer({ allowHalfOpen: true }, connections.arrive);
  // Commands do not find the socket under its first name: between bind and listen it would refuse their connections.
  const firstAddress = platform === 'win32' ? address : openingPath(address);
  // Also removes the socket if the process exits without `close`, for example in a crash.
  const removeSocketFile = () => {
    for (const path of new Set([firstAddress, address])) removeSocket(path);
  };
  process.once('exit', removeSocketFile);
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
    await listening(server, firstAddress);
    server.unref();
    // A failed accept affects only the process that tried to connect.
    server.on('error', () => {});
    if (platform !== 'win32') {
      chmodSync(firstAddress, 0o600);
      renameSync(firstAddress, address);
    }
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
    // Worker threads cannot change the umask. The folder keeps other users out, and the mode is set afterward.
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
