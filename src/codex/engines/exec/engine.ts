import { AppError, isAppError } from '../../../base/errors.ts';
import type {
  BeforeTurn,
  Engine,
  EngineCapability,
  EngineListener,
  ForkRequest,
  OpenedSession,
  SayRequest,
  StartedTurn,
} from '../../engine.ts';
import { realPathOf } from '../../real-folder.ts';
import { readUserConfig } from '../../settings/user-config.ts';
import { listStoredSessions, locateStoredSession, readStoredSession } from '../../storage/stored-sessions.ts';
import type { ExecOptions } from './options.ts';
import { toExecPermissions } from './permissions.ts';
import { assertSignedIn } from './sign-in.ts';
import { FORK_UNSUPPORTED } from './start-errors.ts';
import { openTurns } from './turns.ts';

/** Capabilities that `codex exec` does not have. Whether it can fork depends on its version: see `FORK_UNSUPPORTED`. */
const UNSUPPORTED: Readonly<Partial<Record<EngineCapability, string>>> = {
  approvals:
    'The exec engine cannot ask for approvals: actions that the sandbox allows are run, and all others are refused. Use the app-server engine, or a sandbox that allows the action.',
  steer: 'The exec engine cannot add a message to a running turn: wait until it has ended, or interrupt it.',
  review: "The exec engine cannot run Codex's review: use the app-server engine, or ask for a review in a prompt.",
  models: 'The exec engine cannot list the models: use the app-server engine.',
  rateLimits: 'The exec engine cannot report the rate limits of the account: use the app-server engine.',
};

/**
 * Drives a Codex without app-server through one `codex exec --json` per turn. The engine keeps no session open between
 * turns: it resumes the session from Codex's storage for each turn, and the commands of a turn end with its process.
 */
export function createExecEngine(options: ExecOptions, listener: EngineListener): Engine {
  const { limits, folders } = options;
  const { codexHome, home } = folders;
  const turns = openTurns(options, listener);
  let canFork = true;
  // Uses the real path, because a link could be redirected after the limits were checked.
  const toFolder = (named: string) => (limits === undefined ? named : realPathOf(named));

  /** Throws for a turn that may do more than the operator allows, or whose folders are in use. */
  async function prepareTurn({ settings, turn, beforeTurn }: PreparedTurn, cwd: string): Promise<void> {
    const user = await readUserConfig(codexHome, home);
    const openTempFolders = limits?.openTempFolders() ?? [];
    await beforeTurn?.(toExecPermissions({ settings, turn, cwd, user, openTempFolders }));
  }

  async function say({ sessionId, ...request }: SayRequest): Promise<StartedTurn> {
    // Checked before anything starts: 0.92 creates a new session for an unknown id.
    const stored = await locateStoredSession(codexHome, sessionId);
    const cwd = toFolder(request.settings.cwd ?? stored.directory ?? folders.cwd);
    // Checked before anything starts: a command of the turn would not wait for a later check.
    await prepareTurn(request, cwd);
    assertApprovalPolicySupported(request);
    const onOpened = (session: OpenedSession) => listener.event(sessionId, { kind: 'opened', session });
    return turns.begin({ ...request, target: { kind: 'resume', sessionId }, cwd, signal: request.signal, onOpened });
  }

  async function fork({ sessionId, settings, lastTurnId, check }: ForkRequest): Promise<OpenedSession> {
    if (lastTurnId !== undefined) throw new AppError('REQUEST_FAILED', FORK_AT_TURN_UNSUPPORTED);
    const stored = await locateStoredSession(codexHome, sessionId);
    const cwd = toFolder(settings.cwd ?? stored.directory ?? folders.cwd);
    await prepareTurn({ settings, turn: {}, beforeTurn: check }, cwd);
    const target = { kind: 'fork', sessionId } as const;
    let opened: OpenedSession = { sessionId: '', cwd };
    const onOpened = (session: OpenedSession) => {
      opened = session;
    };
    try {
      await turns.fork({ target, settings, turn: {}, input: NO_INPUT, cwd, signal: undefined, onOpened });
      return opened;
    } catch (error) {
      if (isAppError(error) && error.code === 'REQUEST_FAILED') canFork = false;
      throw error;
    }
  }

  return {
    name: 'exec',
    get unsupported() {
      return canFork ? UNSUPPORTED : { ...UNSUPPORTED, fork: FORK_UNSUPPORTED };
    },
    async start({ settings, signal, onTurnReady, ...request }) {
      const cwd = toFolder(settings.cwd ?? folders.cwd);
      await prepareTurn({ settings, ...request }, cwd);
      assertApprovalPolicySupported({ settings, ...request });
      await assertSignedIn(settings, cwd, options);
      return turns.begin({ ...request, settings, target: { kind: 'start' }, cwd, signal, onOpened: onTurnReady });
    },
    say,
    steer: rejectUnsupported('steer'),
    interrupt: async (turn) => turns.interrupt(turn),
    stopCommands: async () => {
      // There are none: commands end with the process of their turn.
    },
    // Each turn has its own process, which an interrupt ends whether it responds or not.
    killIfUnresponsive: async () => false,
    fork,
    review: rejectUnsupported('review'),
    open: rejectUnsupported('open'),
    list: (query) => listStoredSessions(codexHome, query),
    read: (query) => readStoredSession(codexHome, query, { isRunning: turns.isRunning(query.sessionId) }),
    models: rejectUnsupported('models'),
    rateLimits: rejectUnsupported('rateLimits'),
    close: () => turns.close(),
  };
}

interface PreparedTurn extends Pick<SayRequest, 'settings' | 'turn'> {
  readonly beforeTurn?: BeforeTurn | undefined;
}

/** Throws for an approval policy that this engine cannot follow. */
function assertApprovalPolicySupported({ settings, turn }: Pick<SayRequest, 'settings' | 'turn'>): void {
  if ((turn.approvalPolicy ?? settings.approvalPolicy) !== 'untrusted') return;
  const text =
    'The exec engine cannot ask for approvals, which "untrusted" requires. Choose another approvalPolicy, or the app-server engine.';
  throw new AppError('REQUEST_FAILED', text);
}

const NO_INPUT = { text: '', images: [] };

const FORK_AT_TURN_UNSUPPORTED = 'The exec engine can fork a session only as it is now, not at an earlier turn.';

const OPEN_UNSUPPORTED = 'The exec engine cannot open a session without a prompt: start one with its first turn.';

/** Returns an engine method that always rejects with the reason. */
function rejectUnsupported(ability: EngineCapability | 'open'): () => Promise<never> {
  const reason = ability === 'open' ? OPEN_UNSUPPORTED : (UNSUPPORTED[ability] ?? `The exec engine cannot ${ability}.`);
  return () => Promise.reject(new AppError('REQUEST_FAILED', reason));
}
