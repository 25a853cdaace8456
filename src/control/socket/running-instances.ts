import { readdirSync, type Stats, unlinkSync } from 'node:fs';
import { messageOf } from '../../base/errors.ts';
import { pathOf, type Surroundings } from '../../config/files/folders.ts';
import { errnoOf, errnoText } from '../../config/files/small-file.ts';
import { isProofName, sweepProof } from './challenge.ts';
import { isOwn, lookAt, PIPES, pidOfPipe, pidOfSocket, socketFolders, whyNotOurs } from './socket-paths.ts';

export interface Found {
  /** The oldest first. */
  readonly running: readonly Running[];
  readonly ignored: readonly Ignored[];
}

/** A switchboard that seems to run: its process is there. Whether it answers is known when it has been asked. */
export interface Running {
  readonly pid: number;
  /** Of its private socket. */
  readonly address: string;
}

/** Something in the place of a socket that is not to be trusted. */
export interface Ignored {
  readonly place: string;
  readonly why: string;
}

/** The switchboards of this user that run now. Cheap, and nobody is asked; what dead ones have left is removed. */
export function findRunning(surroundings: Surroundings): Found {
  const look = surroundings.platform === 'win32' ? lookForPipes : lookIntoFolder;
  const found = socketFolders(surroundings).flatMap((folder) => look(folder, surroundings));
  const seen = found.filter((one) => 'address' in one).toSorted(byStart);
  return {
    running: seen.map(({ pid, address }) => ({ pid, address })),
    ignored: found.filter((one) => 'why' in one),
  };
}

/** Removes the sockets that killed processes left behind. */
export function sweepDead(surroundings: Surroundings): void {
  findRunning(surroundings);
}

/** So many names are looked at: more than anybody runs. */
const MAX_NAMES = 4096;

interface Seen extends Running {
  readonly startedAt: number;
}

/** Two that began in the same moment still have an order. */
function byStart(a: Seen, b: Seen): number {
  return a.startedAt - b.startedAt || a.pid - b.pid || (a.address < b.address ? -1 : 1);
}

function lookIntoFolder(folder: string, { platform }: Surroundings): readonly (Seen | Ignored)[] {
  try {
    const why = whyNotOurs(folder);
    if (why !== undefined) return [{ place: folder, why }];
    const { join } = pathOf(platform);
    return namesIn(folder).flatMap((name) => judge(join(folder, name), name) ?? []);
  } catch (error) {
    return [{ place: folder, why: errnoText(error) }];
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
function judge(place: string, name: string): Seen | Ignored | undefined {
  if (isProofName(name)) {
    sweepProof(place, Date.now());
    return undefined;
  }
  const stats = lookAt(place);
  if (stats === undefined) return undefined;
  const why = whyNoSocketOfOurs(stats);
  if (why !== undefined) return { place, why };
  const pid = pidOfSocket(name);
  if (pid === undefined) return { place, why: 'its name is not that of a switchboard' };
  if (!isDead(pid)) return { pid, address: place, startedAt: stats.mtimeMs };
  sweep(place);
  return undefined;
}

/** Why a socket is not to be spoken to; undefined when it is ours. */
export function whyNoSocketOfOurs(stats: Stats): string | undefined {
  if (!stats.isSocket()) return 'it is not a socket';
  return isOwn(stats) ? undefined : 'it belongs to another user';
}

/**
 * For a socket at which nobody listens though its process is there: another one has the number by now. Removes it, and
 * says whether it could. Only where a refusal is certain to mean that, and not of one that is just being opened.
 */
export function sweepDeserted(
  place: string,
  { now, platform }: { readonly now: number; readonly platform: string },
): boolean {
  // Elsewhere one that is too busy refuses too.
  if (platform !== 'linux') return false;
  try {
    const stats = lookAt(place);
    if (stats === undefined || whyNoSocketOfOurs(stats) !== undefined || now - stats.mtimeMs < OPENING_MS) return false;
    unlinkSync(place);
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

function sweep(place: string): void {
  try {
    unlinkSync(place);
  } catch {
    // Somebody else was quicker, or it has to stay: it is not listed either way.
  }
}

/** Pipes have no owner and no time that could be asked for: the system lets only us open them, and sorts nothing. */
function lookForPipes(folder: string): readonly (Seen | Ignored)[] {
  try {
    return readdirSync(PIPES).flatMap((name) => {
      const pid = pidOfPipe(name, folder);
      return pid === undefined ? [] : [{ pid, address: `${PIPES}${name}`, startedAt: 0 }];
    });
  } catch (error) {
    return [{ place: PIPES, why: messageOf(error) }];
  }
}
