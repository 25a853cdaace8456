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
  /** As Codex names them, and by their real paths. */
  givenFolders: readonly string[];
  folders: readonly string[];
  /** Those in which it may replace what it likes. */
  writable: readonly string[];
  /** Commands that it left running have been ended. */
  commandsStopped: boolean;
}

/** One attempt to start a turn. */
export interface FolderClaim {
  /** Ends what idle sessions left running in or above these folders. Call it first: an old Codex is ended as a whole. */
  prepare(folders: readonly string[]): Promise<void>;
  /** Throws BUSY, or DENIED for a folder that was replaced. From then on the folders count as used. */
  acquire(permissions: TurnPermissions): Promise<void>;
  /** The turn belongs to this session. */
  bind(session: Session): void;
  /** The start is over, well or not. */
  finishStart(): void;
}

export interface FolderClaimsOptions {
  readonly isEnforced: boolean;
  /** Ends the commands that a session left running. */
  readonly stopCommands: (sessionId: string) => Promise<void>;
  /** The sessions of other servers; without it only those of this server are known. */
  readonly registry?: FolderRegistry | undefined;
}

const NO_CLAIM: FolderClaim = {
  prepare: async () => {},
  acquire: async () => {},
  bind: () => {},
  finishStart: () => {},
};

/**
 * Keeps sessions from working in folders that another one can replace by a link while they do: Codex looks at the path
 * again for each command, and its sandbox would open wherever the link leads.
 */
export class FolderClaims {
  readonly #claims = new Set<Claim>();
  /** What the folders of a session were when it first used them. */
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
    // Nothing is awaited from here on: of two starts at the same time the second sees the first.
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

  /** Called when a turn, or the commands that it left running, have ended. */
  publish(): void {
    const isUsed = (claim: Claim) => isActive(claim) || claim.session?.hasRunningCommands === true;
    this.#options.registry?.publish(
      [...this.#claims].filter(isUsed).map(({ folders, writable }) => ({ folders, writable })),
    );
  }

  close(): void {
    this.#options.registry?.publish([]);
  }

  /** Publish before checking: of two servers that start sessions at the same time, at least one then sees the other. */
  #assertFreeElsewhere(claim: Claim): void {
    this.publish();
    const { folders, writable } = claim;
    const other = this.#options.registry
      ?.others()
      .find((used) => containsAny(used.writable, folders) || containsAny(writable, used.folders));
    if (other === undefined) return;
    this.#claims.delete(claim);
    this.publish();
    const text = `A session of another server works in ${other.folders.join(', ')}, and ${folders.join(', ')} is above or below it: one session could replace the folder of the other. Wait until it has ended.`;
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
    // Sessions that were forgotten since cannot be asked to end their commands.
    if (this.#claims.size > MAX_CLAIMS)
      for (const old of this.#claims) if (!isActive(old)) return void this.#claims.delete(old);
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
      const text = `${folder} is no longer the folder that it was when session ${session.id} began to work in it. Start a new session.`;
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

/** Whether one of these is above one of the others; the same folder is not. Whoever may write to it cannot replace it. */
function containsAny(folders: readonly string[], others: readonly string[]): boolean {
  return folders.some((folder) => others.some((other) => other !== folder && isInside(folder, other)));
}

function identityOf(folder: string): string {
  const found = statSync(folder, { throwIfNoEntry: false });
  return found === undefined ? '' : `${found.dev}:${found.ino}`;
}

function overlapError({ session, folders }: Claim, mine: readonly string[]): AppError {
  const who = session === undefined ? 'A session that is being started' : `Session ${session.id}`;
  const text = `${who} works in ${folders.join(', ')}, and ${mine.join(', ')} is above or below it: one session could replace the folder of the other. Wait until its turn has ended (codex_wait), or interrupt it.`;
  return new AppError('BUSY', text, session === undefined ? {} : { data: { sessionId: session.id } });
}
