import { readdirSync, type Stats, unlinkSync } from 'node:fs';
import { messageOf } from '../../base/errors.ts';
import { describeErrno, errnoOf } from '../../base/files/errno.ts';
import { type Environment, platformPath } from '../../config/files/folders.ts';
import { isProofName, removeStaleProof } from './challenge.ts';
import {
  isOpening,
  isOwnedByUser,
  lstatIfExists,
  PIPE_ROOT,
  pidOfPipe,
  pidOfSocket,
  socketFolders,
  unsafeFolderReason,
} from './socket-paths.ts';

export interface FoundInstances {
  /** Oldest first. */
  readonly running: readonly RunningInstance[];
  readonly ignored: readonly IgnoredSocket[];
}

/** A switchboard whose process exists. Only a request shows whether it responds. */
export interface RunningInstance {
  readonly pid: number;
  /** The address of its control socket. */
  readonly address: string;
}

/** A file in a socket folder that cannot be trusted. */
export interface IgnoredSocket {
  readonly place: string;
  readonly why: string;
}

/**
 * Finds the running switchboards of this user without connecting to them. Removes sockets of processes that have
 * exited.
 */
export function findRunningInstances(environment: Environment): FoundInstances {
  const scan = environment.platform === 'win32' ? scanPipes : scanFolder;
  const found = socketFolders(environment).flatMap((folder) => scan(folder, environment));
  const seen = found.filter((entry) => 'address' in entry).toSorted(byStart);
  return {
    running: seen.map(({ pid, address }) => ({ pid, address })),
    ignored: found.filter((entry) => 'why' in entry),
  };
}

/** Returns the sockets that killed processes left behind. Removes nothing. */
export function findDeadSockets(environment: Environment): readonly string[] {
  const { join } = platformPath(environment.platform);
  // Named pipes disappear with their process.
  const folders = environment.platform === 'win32' ? [] : socketFolders(environment);
  const trusted = folders.filter((folder) => unsafeFolderReason(folder) === undefined);
  return trusted.flatMap((folder) =>
    namesIn(folder).flatMap((name) => {
      const pid = pidOfSocket(name);
      const stats = lstatIfExists(join(folder, name));
      const isDeadSocket =
        pid !== undefined && stats !== undefined && foreignSocketReason(stats) === undefined && isDead(pid);
      return isDeadSocket ? [join(folder, name)] : [];
    }),
  );
}

/** Removes the sockets that killed processes left behind. */
export function removeDeadSockets(environment: Environment): void {
  findRunningInstances(environment);
}

/** The maximum number of directory entries to inspect, far above any real number of instances. */
const MAX_NAMES = 4096;

interface SeenInstance extends RunningInstance {
  readonly startedAt: number;
}

/** Orders by start time, then by pid and address, so that the order is total. */
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
    // The folder does not exist: no switchboard has used it yet.
    if (errnoOf(error) === 'ENOENT' || errnoOf(error) === 'ENOTDIR') return [];
    throw error;
  }
}

/**
 * Returns undefined if the file is gone, belonged to a process that has exited, does not accept connections yet, or is
 * a proof file.
 */
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
  if (pid === undefined) return { place: path, why: 'its name is not that of a Switchboard socket' };
  if (isDead(pid)) removeSocketFile(path);
  else if (!isOpening(name)) return { pid, address: path, startedAt: stats.mtimeMs };
  return undefined;
}

/** Returns why a socket must not be used, or undefined if it is ours. */
export function foreignSocketReason(stats: Stats): string | undefined {
  if (!stats.isSocket()) return 'it is not a socket';
  return isOwnedByUser(stats) ? undefined : 'it belongs to another user';
}

/**
 * Removes a socket that refuses connections although a process with its pid exists: the system has reused the pid.
 * Returns whether it removed the socket. Does nothing on platforms where a refusal can have other causes, and for a
 * socket so new that its listener may not be ready.
 */
export function removeStaleSocket(
  path: string,
  { now, platform }: { readonly now: number; readonly platform: string },
): boolean {
  // On other platforms a socket with a full backlog also refuses connections.
  if (platform !== 'linux') return false;
  try {
    const stats = lstatIfExists(path);
    if (stats === undefined || foreignSocketReason(stats) !== undefined || now - stats.mtimeMs < OPENING_MS)
      return false;
    unlinkSync(path);
    return true;
  } catch {
    // The socket stays, and the caller reports the connection error.
    return false;
  }
}

/** Far longer than the time between creating a socket and listening on it. */
const OPENING_MS = 5_000;

/** Returns true only for `ESRCH`: a process of another user cannot be signaled either, but is running. */
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
    // Another process removed it first, or we may not remove it. It is not listed either way.
  }
}

/**
 * Named pipes expose no owner and no creation time. Windows lets only the current user open them, and they stay
 * unsorted.
 */
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
