import type {
  BeforeTurn,
  Engine,
  OpenedSession,
  ReviewTarget,
  SayRequest,
  SessionSettings,
  TurnInput,
  TurnSettings,
} from '../engine.ts';
import type { FolderClaim, FolderClaims } from '../limits/folder-claims.ts';
import { trackTurn } from '../working-tree/track-turn.ts';
import type { TrackedTree, TreeTracker } from '../working-tree/tree-tracker.ts';
import type { QueuedMessage, Session } from './session.ts';
import type { SessionRegistry } from './session-registry.ts';
import type { TurnCaller } from './turn-caller.ts';

export interface TurnStarterOptions {
  readonly engine: Engine;
  readonly registry: SessionRegistry;
  readonly folderClaims: FolderClaims;
  readonly treeTracker: TreeTracker | undefined;
  /** Called when a turn could not start and the session is idle again. */
  readonly onStartFailed: (session: Session) => void;
}

/** How long Codex has to interrupt a turn that was cancelled while it started. */
const INTERRUPT_TIMEOUT_MS = 5_000;

/** Starts turns: the first of a session, the next, or a review. If one cannot start, it leaves no trace. */
export class TurnStarter {
  readonly #options: TurnStarterOptions;

  constructor(options: TurnStarterOptions) {
    this.#options = options;
  }

  /** Opens a session and starts its first turn. */
  async start(settings: SessionSettings, turn: TurnSettings, input: TurnInput, caller: TurnCaller): Promise<Session> {
    const { engine, registry, folderClaims, treeTracker } = this.#options;
    const release = registry.reserve();
    const aborter = new AbortController();
    const claim = folderClaims.createClaim();
    let session: Session | undefined;
    // Codex opens the session in the meantime. The turn starts when the snapshot is complete.
    const tracking = settings.cwd === undefined ? undefined : treeTracker?.track(settings.cwd);
    let trackedTree: TrackedTree | undefined;
    const awaitSnapshot = async () => {
      trackedTree = await tracking;
    };
    const onTurnReady = (opened: OpenedSession) => {
      release();
      session = registry.add(opened, settings);
      claim.bind(session);
      attachCaller(session, caller, aborter);
      if (session.turn !== undefined) session.turn.tree = trackedTree;
    };
    try {
      await claim.prepare([...(settings.cwd === undefined ? [] : [settings.cwd]), ...(settings.addDirs ?? [])]);
      const { sessionId, turnId } = await engine.start({
        settings,
        turn,
        input,
        onTurnReady,
        ...toTurnGuards(caller, aborter.signal, claim, awaitSnapshot),
      });
      const started = registry.get(sessionId);
      this.#interruptIfCancelled(started, turnId, aborter.signal);
      return started;
    } catch (error) {
      if (session !== undefined) this.#revertStart(session, aborter.signal);
      void tracking?.then((tree) => tree.freeze());
      throw error;
    } finally {
      release();
      claim.finishStart();
    }
  }

  /** Opens a session and starts Codex's own review as its first turn. */
  async review(settings: SessionSettings, target: ReviewTarget, caller: TurnCaller): Promise<Session> {
    const { engine, registry, folderClaims } = this.#options;
    const release = registry.reserve();
    const claim = folderClaims.createClaim();
    try {
      await claim.prepare(settings.cwd === undefined ? [] : [settings.cwd]);
      const opened = await engine.open(settings, { beforeTurn: toBeforeTurn(caller, claim), signal: caller.signal });
      const session = registry.add(opened, settings);
      release();
      claim.bind(session);
      attachCaller(session, caller);
      const startSignal = session.startSignal;
      const { turnId } = await engine.review(session.id, target).catch((error) => {
        this.#revertStart(session, startSignal);
        throw error;
      });
      this.#interruptIfCancelled(session, turnId, startSignal);
      return session;
    } finally {
      release();
      claim.finishStart();
    }
  }

  /** Starts the next turn of a session. Resumes the session if necessary. */
  async continue(session: Session, message: QueuedMessage, caller: TurnCaller): Promise<void> {
    const { engine, folderClaims, treeTracker } = this.#options;
    const previousTurn = session.turn;
    attachCaller(session, caller);
    const { settings, id: sessionId } = session;
    const startSignal = session.startSignal;
    const claim = folderClaims.createClaim(session);
    const onTurnReady = (opened: OpenedSession) => {
      claim.bind(session);
      session.opened = { ...session.opened, ...opened };
    };
    try {
      if (treeTracker !== undefined) await trackTurn(session, { treeTracker, engine, previousTurn });
      await claim.prepare(session.opened.cwd === '' ? [] : [session.opened.cwd]);
      const { turnId } = await engine.say({
        sessionId,
        settings,
        input: message.input,
        turn: message.turn,
        onTurnReady,
        ...toTurnGuards(caller, startSignal, claim),
      });
      // Codex keeps these settings for later turns. Keep them here too, for when the session has to be resumed.
      const { outputSchema: _, effort, ...persistentSettings } = message.turn;
      session.settings = { ...session.settings, ...persistentSettings, ...(effort === undefined ? {} : { effort }) };
      session.opened = { ...session.opened, ...persistentSettings };
      this.#interruptIfCancelled(session, turnId, startSignal);
      await message.onAccepted?.(session);
    } catch (error) {
      this.#revertStart(session, startSignal);
      throw error;
    } finally {
      claim.finishStart();
    }
  }

  /** Interrupts a turn that was cancelled while it started. */
  #interruptIfCancelled(session: Session, turnId: string, startSignal: AbortSignal): void {
    if (!startSignal.aborted) return;
    session.ignoreTurn(turnId);
    void this.#options.engine
      .interrupt({ sessionId: session.id, turnId }, AbortSignal.timeout(INTERRUPT_TIMEOUT_MS))
      .catch(() => undefined);
  }

  #revertStart(session: Session, startSignal: AbortSignal): void {
    // This start was cancelled in the meantime, and another turn has begun.
    if (session.startSignal !== startSignal) return;
    session.revertTurn();
    this.#options.registry.removeUnused(session);
    this.#options.onStartFailed(session);
  }
}

function attachCaller(session: Session, caller: TurnCaller, startController?: AbortController): void {
  session.beginTurn(startController);
  session.client = caller.client;
  session.prompter = caller.prompter;
  session.canPromptInCalls = caller.canPromptInCalls ?? false;
  caller.onSession?.(session);
}

/** Combines everything that may keep a turn from beginning. */
function toTurnGuards(
  caller: TurnCaller,
  startSignal: AbortSignal,
  claim: FolderClaim,
  awaitSnapshot?: () => Promise<void>,
): Pick<SayRequest, 'beforeTurn' | 'signal'> {
  const { signal } = caller;
  return {
    beforeTurn: toBeforeTurn(caller, claim, awaitSnapshot),
    signal: signal === undefined ? startSignal : AbortSignal.any([signal, startSignal]),
  };
}

function toBeforeTurn({ check }: TurnCaller, claim: FolderClaim, awaitSnapshot?: () => Promise<void>): BeforeTurn {
  return async (permissions) => {
    // Runs first, so that nothing happens between the checks and the turn.
    await awaitSnapshot?.();
    await check?.(permissions);
    await claim.acquire(permissions);
  };
}
