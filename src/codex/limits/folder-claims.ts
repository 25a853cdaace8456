import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { AppError } from '../../base/errors.ts';
import type { TurnPermissions } from '../engine.ts';
import { realPathOf } from '../real-folder.ts';
import type { Session } from '../sessions/session.ts';
import type { FolderRegistry } from './folder-registry.ts';
import { isInside } from './operator-limits.ts';

/** The folders of a turn that is starting, is running, or has run. */
interface Claim {
  session: Session | undefined;
  isStarting: boolean;
  /** The paths as Codex names them. `folders` also contains their real paths. */
  givenFolders: readonly string[];
  folders: readonly string[];
  /** The folders in which the turn may replace files and folders. */
  writable: readonly string[];
  /** True once the commands that the turn left running have been stopped. */
  commandsStopped: boolean;
}

/** One attempt to start a turn. */
export interface FolderClaim {
  /** Stops commands that idle sessions left in or above these folders. Call it first: it may end an old Codex. */
  prepare(folders: readonly string[]): Promise<void>;
  /** Throws BUSY, or DENIED for a folder that was replaced. After that, the folders count as in use. */
  acquire(permissions: TurnPermissions): Promise<void>;
  /** Assigns the turn to a session. */
  bind(session: Session): void;
  /** Marks the start as finished, whether it succeeded or failed. */
  finishStart(): void;
}

export interface FolderClaimsOptions {
  readonly isEnforced: boolean;
  /** Ends the commands that a session left running. */
  readonly stopCommands: (sessionId: string) => Promise<void>;
  /** The folders of other servers' sessions. Without it, only sessions of this server are checked. */
  readonly registry?: FolderRegistry | undefined;
}

const NO_CLAIM: FolderClaim = {
  prepare: async () => {},
  acquire: async () => {},
  bind: () => {},
  finishStart: () => {},
};

/**
 * Keeps a session from working in a folder that another session can replace by a link meanwhile: Codex resolves the
 * path again for each command, and its sandbox would then open the target of the link.
 */
export class FolderClaims {
  readonly #claims = new Set<Claim>();
  /** The device and inode of each folder when a session first used it. */
  readonly #identities = new WeakMap<Session, Map<string, string>>();
  readonly #options: FolderClaimsOptions;

  constructor(options: FolderClaimsOptions) {
    this.#options = options;
  }

  createClaim(session?: Session): FolderClaim {
    if (!this.#options.isEnforced) return NO_CLAIM;
    const claim: Claim = {
      session,
      isStarting: true,
      givenFolders: [],
      folders: [],
      writable: [],
      commandsStopped: false,
    };
    return {
      prepare: (folders) => this.#stopLeftoverCommands(claim, folders.map(realPathOf)),
      acquire: (permissions) => this.#acquire(claim, permissions),
      bind: (opened) => this.#bind(claim, opened),
      finishStart: () => this.#finishStart(claim),
    };
  }

  async #acquire(claim: Claim, { cwd, writableRoots, tempFolders, sandbox }: TurnPermissions): Promise<void> {
    const isReadOnly = sandbox === 'read-only';
    const givenFolders = [...(cwd === '' ? [] : [cwd]), ...(isReadOnly ? [] : writableRoots)];
    // The unresolved path counts too: a link can be replaced in its own folder, wherever it points.
    const folders = [...new Set([...givenFolders.map(realPathOf), ...givenFolders.map((folder) => resolve(folder))])];
    const writable = isReadOnly ? [] : [...folders, ...tempFolders.map(realPathOf)];
    await this.#stopLeftoverCommands(claim, folders);
    // There is no `await` from here on: of two concurrent starts, the second sees the claim of the first.
    const other = [...this.#claims].find(
      (existing) =>
        isOther(existing, claim) &&
        isActive(existing) &&
        (containsAny(existing.writable, folders) || containsAny(writable, existing.folders)),
    );
    if (other !== undefined) throw overlapError(other, folders);
    if (claim.session !== undefined) this.#assertNotReplaced(claim.session, givenFolders);
    Object.assign(claim, { givenFolders, folders, writable });
    this.#claims.add(claim);
    this.#assertFreeElsewhere(claim);
  }

  /** Publishes the folders in use. Call it when a turn, or the commands that it left running, have ended. */
  publish(): void {
    const isUsed = (claim: Claim) => isActive(claim) || claim.session?.hasRunningCommands === true;
    this.#options.registry?.publish(
      [...this.#claims].filter(isUsed).map(({ folders, writable }) => ({ folders, writable })),
    );
  }

  close(): void {
    this.#options.registry?.publish([]);
  }

  /** Publishes before it checks: of two servers that start sessions concurrently, at least one sees the other. */
  #assertFreeElsewhere(claim: Claim): void {
    this.publish();
    const { folders, writable } = claim;
    const other = this.#options.registry
      ?.others()
      .find((used) => containsAny(used.writable, folders) || containsAny(writable, used.folders));
    if (other === undefined) return;
    this.#claims.delete(claim);
    this.publish();
    const text = `A session of another server works in ${other.folders.join(', ')}, which overlaps with ${folders.join(', ')}: one session could replace the folder of the other. Wait until it has ended.`;
    throw new AppError('BUSY', text);
  }

  async #stopLeftoverCommands(claim: Claim, folders: readonly string[]): Promise<void> {
    for (;;) {
      const idleClaim = [...this.#claims].find(
        (existing) =>
          isOther(existing, claim) &&
          !isActive(existing) &&
          !existing.commandsStopped &&
          containsAny(existing.writable, folders),
      );
      if (idleClaim?.session === undefined) return;
      await this.#options.stopCommands(idleClaim.session.id);
      idleClaim.commandsStopped = !isActive(idleClaim);
    }
  }

  #bind(claim: Claim, session: Session): void {
    for (const former of this.#claims) if (former.session === session && former !== claim) this.#replace(former, claim);
    claim.session = session;
    this.#assertNotReplaced(session, claim.givenFolders);
  }

  /** Keeps the folders of the former claim: commands that its turn left running can still write there. */
  #replace(former: Claim, claim: Claim): void {
    this.#claims.delete(former);
    if (former.commandsStopped) return;
    claim.folders = [...new Set([...claim.folders, ...former.folders])];
    claim.writable = [...new Set([...claim.writable, ...former.writable])];
  }

  #finishStart(claim: Claim): void {
    claim.isStarting = false;
    if (claim.session === undefined) this.#claims.delete(claim);
    // Deletes an old claim: the registry may have evicted its session, whose commands can then no longer be stopped.
    const oldest = this.#claims.size > MAX_CLAIMS ? [...this.#claims].find((old) => !isActive(old)) : undefined;
    if (oldest !== undefined) this.#claims.delete(oldest);
    this.publish();
  }

  #assertNotReplaced(session: Session, folders: readonly string[]): void {
    const known = this.#identities.get(session) ?? new Map<string, string>();
    this.#identities.set(session, known);
    for (const folder of folders) {
      const identity = identityOf(folder);
      const before = known.get(folder) ?? identity;
      known.set(folder, before);
      if (identity === before) continue;
      const text = `${folder} has been replaced since session ${session.id} began to work in it. Start a new session.`;
      throw new AppError('DENIED', text, { data: { path: folder, sessionId: session.id } });
    }
  }
}

const MAX_CLAIMS = 2_000;

function isOther(existing: Claim, claim: Claim): boolean {
  return existing !== claim && (existing.session === undefined || existing.session !== claim.session);
}

function isActive({ isStarting, session }: Claim): boolean {
  return isStarting || session?.isRunning === true;
}

/** Returns whether a folder contains one of `others`. Equal folders do not count: write access cannot replace them. */
function containsAny(folders: readonly string[], others: readonly string[]): boolean {
  return folders.some((folder) => others.some((other) => other !== folder && isInside(folder, other)));
}

function identityOf(folder: string): string {
  const found = statSync(folder, { throwIfNoEntry: false });
  return found === undefined ? '' : `${found.dev}:${found.ino}`;
}

function overlapError({ session, folders }: Claim, mine: readonly string[]): AppError {
  const who = session === undefined ? 'A session that is starting' : `Session ${session.id}`;
  const text = `${who} works in ${folders.join(', ')}, which overlaps with ${mine.join(', ')}: one session could replace the folder of the other. Wait until its turn has ended (codex_wait), or interrupt it.`;
  return new AppError('BUSY', text, session === undefined ? {} : { data: { sessionId: session.id } });
}
