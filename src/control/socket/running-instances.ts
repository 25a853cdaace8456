import { readdirSync, type Stats, unlinkSync } from 'node:fs';
import { messageOf } from '../../base/errors.ts';
import { describeErrno, errnoOf } from '../../base/files/errno.ts';
import { type Environment, platformPath } from '../../config/files/folders.ts';
import { isProofName, removeStaleProof } from './challenge.ts';
import {
  isOwnedByUser,
  lstatIfExists,
  PIPE_ROOT,
  pidOfPipe,
  pidOfSocket,
  socketFolders,
  unsafeFolderReason,
} from './socket-paths.ts';

export interface FoundInstances {
  /** The oldest first. */
  readonly running: readonly RunningInstance[];
  readonly ignored: readonly IgnoredSocket[];
}

/** A switchboard that seems to run: its process is there. Whether it answers is known when it has been asked. */
export interface RunningInstance {
  readonly pid: number;
  /** Of its private socket. */
  readonly address: string;
}

/** Something in the place of a socket that is not to be trusted. */
export interface IgnoredSocket {
  readonly place: string;
  readonly why: string;
}

/** The switchboards of this user that run now. Cheap, and nobody is asked; what dead ones have left is removed. */
export function findRunningInstances(environment: Environment): FoundInstances {
  const scan = environment.platform === 'win32' ? scanPipes : scanFolder;
  const found = socketFolders(environment).flatMap((folder) => scan(folder, environment));
  const seen = found.filter((entry) => 'address' in entry).toSorted(byStart);
  return {
    running: seen.map(({ pid, address }) => ({ pid, address })),
    ignored: found.filter((entry) => 'why' in entry),
  };
}

/** Removes the sockets that killed processes left behind. */
export function removeDeadSockets(environment: Environment): void {
  findRunningInstances(environment);
}

/** So many names are looked at: more than anybody runs. */
const MAX_NAMES = 4096;

interface SeenInstance extends RunningInstance {
  readonly startedAt: number;
}

/** Two that began in the same moment still have an order. */
function byStart(a: SeenInstance, b: SeenInstance): number {
  return a.startedAt - b.startedAt || a.pid - b.pid || (a.address < b.address ? -1 : 1);
}

function scanFolder(folder: string, { platform }: Environment): readonly (SeenInstance | IgnoredSocket)[] {
  try {
    const why = unsafeFolderReason(folder);
    if (why !== undefined) return [{ place: folder, why }];
    const { join } = platformPath(platform);
    return namesIn(folder).flatMap((name) => inspectSocket(join(folder, name), name) ?? []);
  } catch (error) {
    return [{ place: folder, why: describeErrno(error) }];
  }
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder).slice(0, MAX_NAMES);
  } catch (error) {
    // Nothing has run here yet.
    if (errnoOf(error) === 'ENOENT' || errnoOf(error) === 'ENOTDIR') return [];
    throw error;
  }
}

/** Undefined when it is gone, was the rest of one that has died, or is an answer to a challenge. */
function inspectSocket(path: string, name: string): SeenInstance | IgnoredSocket | undefined {
  if (isProofName(name)) {
    removeStaleProof(path, Date.now());
    return undefined;
  }
  const stats = lstatIfExists(path);
  if (stats === undefined) return undefined;
  const why = foreignSocketReason(stats);
  if (why !== undefined) return { place: path, why };
  const pid = pidOfSocket(name);
  if (pid === undefined) return { place: path, why: 'its name is not that of a switchboard' };
  if (!isDead(pid)) return { pid, address: path, startedAt: stats.mtimeMs };
  removeSocketFile(path);
  return undefined;
}

/** Why a socket is not to be spoken to; undefined when it is ours. */
export function foreignSocketReason(stats: Stats): string | undefined {
  if (!stats.isSocket()) return 'it is not a socket';
  return isOwnedByUser(stats) ? undefined : 'it belongs to another user';
}

/**
 * For a socket at which nobody listens though its process is there: another one has the number by now. Removes it, and
 * says whether it could. Only where a refusal is certain to mean that, and not of one that is just being opened.
 */
export function removeStaleSocket(
  path: string,
  { now, platform }: { readonly now: number; readonly platform: string },
): boolean {
  // Elsewhere one that is too busy refuses too.
  if (platform !== 'linux') return false;
  try {
    const stats = lstatIfExists(path);
    if (stats === undefined || foreignSocketReason(stats) !== undefined || now - stats.mtimeMs < OPENING_MS)
      return false;
    unlinkSync(path);
    return true;
  } catch {
    // It stays, and whoever asked is told of it.
    return false;
  }
}

/** Far more than there is between the socket and its listener. */
const OPENING_MS = 5_000;

/** Only when it is certain: a process of another user cannot be signalled either, and lives. */
function isDead(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return errnoOf(error) === 'ESRCH';
  }
}

function removeSocketFile(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    // Somebody else was quicker, or it has to stay: it is not listed either way.
  }
}

/** Pipes have no owner and no time that could be asked for: the system lets only us open them, and sorts nothing. */
function scanPipes(folder: string): readonly (SeenInstance | IgnoredSocket)[] {
  try {
    return readdirSync(PIPE_ROOT).flatMap((name) => {
      const pid = pidOfPipe(name, folder);
      return pid === undefined ? [] : [{ pid, address: `${PIPE_ROOT}${name}`, startedAt: 0 }];
    });
  } catch (error) {
    return [{ place: PIPE_ROOT, why: messageOf(error) }];
  }
}
