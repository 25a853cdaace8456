import { chmodSync, unlinkSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { toJsonRpcError } from '../../base/error-translation.ts';
import { AppError, messageOf } from '../../base/errors.ts';
import type { Surroundings } from '../../config/files/folders.ts';
import { errorText } from '../../wire/messages.ts';
import { createByteBudget } from '../../wire/stream/byte-budget.ts';
import { createChallenge } from './challenge.ts';
import { type Attach, type Guest, type GuestOptions, receiveGuest } from './control-connection.ts';
import { sweepDead } from './running-instances.ts';
import { isLastResort, newAddress, prepareFolder, socketFolders } from './socket-paths.ts';

export interface ControlOptions {
  readonly surroundings: Surroundings;
  /** What a request is answered with; a throw becomes an error answer. */
  readonly answer: (method: string, params: unknown) => unknown;
  /** Joins a connection to one server; without it nobody can be joined. */
  readonly attach?: Attach;
  /** Told in one line why nobody can ask. */
  readonly onProblem: (text: string) => void;
}

/** The private socket of this process. */
export interface Control {
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
export async function openControl(options: ControlOptions): Promise<Control | undefined> {
  const { surroundings, onProblem } = options;
  // If no command ever looks for running processes, nothing else removes the sockets of killed ones.
  sweepDead(surroundings);
  const reasons: string[] = [];
  for (const folder of socketFolders(surroundings)) {
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
export const MAX_ASKING = 64;
/** At once. They stay for long, so they do not count among those who ask. */
export const MAX_ATTACHED = 64;
/** More than these are told that we are busy. */
const MAX_WAITING = 1024;
/** What all of them together have not read yet; beyond it the one with the most is hung up on. */
const MAX_UNREAD_BYTES = 256 * 1024 * 1024;
/** Those who are attached hold together so much of messages that have not ended. */
const MAX_UNFINISHED_BYTES = 256 * 1024 * 1024;

async function listenIn(folder: string, options: ControlOptions): Promise<Control> {
  const { platform } = options.surroundings;
  if (platform !== 'win32') prepareFolder(folder);
  const address = newAddress(folder, options.surroundings);
  const { answer } = options;
  const attach = isLastResort(folder) ? undefined : options.attach;
  const guests = createGuests({ answer, attach }, platform === 'win32' ? undefined : folder);
  // Half open: one who has asked and says no more still waits for the answer.
  const server = createServer({ allowHalfOpen: true }, guests.arrive);
  // Also removes the socket if the process exits without `close`, for example in a crash.
  const withdraw = () => removeSocket(address);
  process.once('exit', withdraw);
  try {
    await listening(server, address);
  } catch (error) {
    process.off('exit', withdraw);
    throw error;
  }
  server.unref();
  // A failed accept is the trouble of the one who came.
  server.on('error', () => {});
  let closing: Promise<void> | undefined;
  const close = async () => {
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    guests.leave();
    withdraw();
    process.off('exit', withdraw);
    await closed;
  };
  const control: Control = {
    address,
    withdraw,
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
    const widen = narrowMask();
    server.listen({ path, backlog: MAX_WAITING }, () => {
      server.off('error', reject);
      resolve();
    });
    widen();
  });
}

/** Whatever is made until the result is called is open to nobody else. */
function narrowMask(): () => void {
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
function createGuests({ answer, attach }: Pick<GuestOptions, 'answer' | 'attach'>, folder: string | undefined) {
  const guests = new Set<Guest>();
  const waiting: Socket[] = [];
  const unfinishedBytes = createByteBudget(MAX_UNFINISHED_BYTES);
  /** Whoever asks for much and does not read takes the room of all: the worst of them has to go. */
  const relieve = () => {
    for (;;) {
      const [worst, ...others] = [...guests].toSorted((a, b) => b.queuedBytes() - a.queuedBytes());
      const unread = others.reduce((sum, guest) => sum + guest.queuedBytes(), worst?.queuedBytes() ?? 0);
      if (worst === undefined || unread <= MAX_UNREAD_BYTES) return;
      worst.close();
    }
  };
  const attachedCount = () => [...guests].filter((guest) => guest.isAttached()).length;

  const attachWithin =
    (attach: Attach): Attach =>
    (wanted, send) => {
      if (attachedCount() >= MAX_ATTACHED) throw busy(`${MAX_ATTACHED} connections are attached`);
      return attach(wanted, send);
    };
  const limited = attach && attachWithin(attach);

  const admit = () => {
    while (guests.size - attachedCount() < MAX_ASKING) {
      const socket = waiting.shift();
      if (socket === undefined) return;
      if (!socket.destroyed) receive(socket);
    }
  };

  const receive = (socket: Socket) => {
    const onGone = () => {
      guests.delete(guest);
      admit();
    };
    const challenge = folder === undefined ? undefined : createChallenge(folder);
    const watched = { answer, attach: limited, challenge, unfinishedBytes, onSent: relieve, onAttached: admit, onGone };
    const guest = receiveGuest(socket, watched);
    guests.add(guest);
  };

  return {
    arrive(socket: Socket) {
      socket.unref();
      // Whoever breaks the connection is told nothing, and nobody else is concerned.
      socket.on('error', () => {});
      if (waiting.length >= MAX_WAITING) return refuse(socket);
      waiting.push(socket);
      admit();
    },
    leave() {
      for (const socket of waiting.splice(0)) socket.destroy();
      for (const guest of guests) guest.close();
    },
  };
}

function refuse(socket: Socket): void {
  socket.end(`${errorText('null', toJsonRpcError(busy(`${MAX_WAITING} connections wait`)))}\n`);
  socket.destroySoon();
}

function busy(why: string): AppError {
  return new AppError('BUSY', `Too many ask this switchboard at once: ${why}.`);
}
