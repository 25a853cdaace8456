import { AppError } from '../../../base/errors.ts';
import type { JsonObject } from '../../../wire/messages.ts';
import type {
  Engine,
  EngineListener,
  ForkRequest,
  OpenedSession,
  OpenGuards,
  ReviewTarget,
  SayRequest,
  SessionSettings,
  StartedTurn,
  StartRequest,
  TurnInput,
  TurnRef,
} from '../../engine.ts';
import type { ListQuery, ReadQuery } from '../../storage/stored-session.ts';
import { AppServerClient } from './client.ts';
import { type AppServerConnection, type ConnectionOptions, openConnection } from './connection.ts';
import { toInput, toTarget, toTurnId } from './protocol/params.ts';
import { createQueries, type Queries } from './queries.ts';
import { createReceiver } from './receiver.ts';
import { SignIn } from './sign-in.ts';
import { SubAgents } from './sub-agents.ts';
import { OPEN_TIMEOUT_MS, type SessionLimits } from './thread-opener.ts';
import { Threads } from './threads.ts';
import { TurnStopper, waitForAbort } from './turn-stopper.ts';

export interface AppServerOptions extends Omit<ConnectionOptions, 'program'> {
  /** Finds the program of Codex when it is needed. */
  readonly program: () => Promise<ConnectionOptions['program']>;
  readonly log: { debug(text: string): void; warn(text: string): void };
  /** How long a session may be idle before it is unloaded. */
  readonly idleMs?: number;
  /** The operator's limits, if there are any. */
  readonly limits?: SessionLimits;
}

const FORK_AT_TURN_UNSUPPORTED =
  'This Codex can fork a session only as it is now, not at an earlier turn: leave out lastTurnId.';

/** Drives all sessions through one `codex app-server`. */
export class AppServerEngine implements Engine {
  readonly name = 'app-server';
  readonly unsupported = {};
  readonly #options: AppServerOptions;
  readonly #listener: EngineListener;
  readonly #client: AppServerClient;
  readonly #queries: Queries;
  readonly #subAgents = new SubAgents();
  readonly #threads: Threads;
  readonly #signIn: SignIn;
  readonly #turnStopper: TurnStopper;

  constructor(options: AppServerOptions, listener: EngineListener) {
    this.#options = options;
    this.#listener = listener;
    const { log, idleMs, limits } = options;
    const client = new AppServerClient((onCrash, signal) => this.#open(onCrash, signal));
    this.#client = client;
    this.#queries = createQueries(client);
    this.#signIn = new SignIn({ client, stopIfIdle: () => this.#stopIfIdle(), log });
    this.#threads = new Threads({
      client,
      subAgents: this.#subAgents,
      warn: (sessionId, message) => listener.event(sessionId, { kind: 'warning', message }),
      log,
      idleMs,
      limits,
      folderOf: async (sessionId) => (await this.#queries.read({ sessionId, limit: 1 })).directory,
      signIn: this.#signIn,
    });
    this.#turnStopper = new TurnStopper({
      client,
      threads: this.#threads,
      subAgents: this.#subAgents,
      log,
    });
  }

  async start({ settings, turn, input, onTurnReady, beforeTurn, signal }: StartRequest): Promise<StartedTurn> {
    const session = await this.open(settings, { signal });
    await beforeTurn?.(await this.#threads.permissions(session.sessionId, turn, settings));
    signal?.throwIfAborted();
    onTurnReady(session);
    const { effort } = settings;
    const first = effort === undefined ? turn : { effort, ...turn };
    return this.#turnStarted(
      session.sessionId,
      await this.#threads.startTurn(session.sessionId, input, first, settings),
    );
  }

  async say({ sessionId, settings, turn, input, onTurnReady, beforeTurn, signal }: SayRequest): Promise<StartedTurn> {
    this.#threads.stopIdleTimer(sessionId);
    if (this.#threads.find(sessionId) === undefined) {
      const session = await unlessAborted(this.#threads.resume(sessionId, settings), signal);
      this.#listener.event(sessionId, { kind: 'opened', session });
    }
    signal?.throwIfAborted();
    const session = this.#threads.find(sessionId) ?? { sessionId, cwd: '' };
    await beforeTurn?.(await this.#threads.permissions(sessionId, turn, settings));
    signal?.throwIfAborted();
    onTurnReady?.(session);
    return this.#turnStarted(sessionId, await this.#threads.startTurn(sessionId, input, turn, settings));
  }

  async open(settings: SessionSettings, { beforeTurn, signal }: OpenGuards = {}): Promise<OpenedSession> {
    const session = await unlessAborted(this.#threads.start(settings), signal);
    await beforeTurn?.(await this.#threads.permissions(session.sessionId, {}, settings));
    signal?.throwIfAborted();
    return session;
  }

  async fork({ sessionId, settings, lastTurnId, check }: ForkRequest): Promise<OpenedSession> {
    if (lastTurnId !== undefined) {
      await this.#client.connect();
      if (this.#client.isOld) throw new AppError('REQUEST_FAILED', FORK_AT_TURN_UNSUPPORTED);
    }
    const session = await this.#threads.fork(sessionId, settings, lastTurnId === undefined ? {} : { lastTurnId });
    await check?.(await this.#threads.permissions(session.sessionId, {}, settings));
    return { ...session, forkedFrom: sessionId };
  }

  async review(sessionId: string, target: ReviewTarget): Promise<StartedTurn> {
    this.#threads.refuseRules(sessionId, (await this.#client.connect()).version);
    return this.#turnStarted(
      sessionId,
      await this.#client.requestForSession(sessionId, 'review/start', { target: toTarget(target) }, OPEN_TIMEOUT_MS),
    );
  }

  async steer({ sessionId, turnId }: TurnRef, input: TurnInput): Promise<void> {
    const expectedTurnId = this.#threads.runningTurnOf(sessionId) ?? turnId;
    await this.#client.requestForSession(sessionId, 'turn/steer', { expectedTurnId, input: toInput(input) });
  }

  interrupt(turn: TurnRef, signal: AbortSignal): Promise<void> {
    return this.#turnStopper.interrupt(turn, signal);
  }

  stopCommands(sessionId: string): Promise<void> {
    return this.#turnStopper.stopCommands(sessionId);
  }

  killIfUnresponsive(withinMs: number): Promise<boolean> {
    return this.#client.killIfUnresponsive(withinMs);
  }

  list(query: ListQuery) {
    return this.#queries.list(query);
  }

  read(query: ReadQuery) {
    return this.#queries.read(query);
  }

  models() {
    return this.#queries.models();
  }

  rateLimits() {
    return this.#queries.rateLimits();
  }

  async close(): Promise<void> {
    this.#threads.clear();
    this.#listener.approvalsWithdrawn(() => true);
    await this.#client.close();
  }

  async #open(onCrash: (reason: AppError) => void, signal: AbortSignal): Promise<AppServerConnection> {
    const { log } = this.#options;
    const program = await this.#options.program();
    this.#signIn.started(program.env);
    const receiver = createReceiver({
      client: this.#client,
      listener: this.#listener,
      threads: this.#threads,
      subAgents: this.#subAgents,
    });
    const crashed = (reason: AppError) => {
      onCrash(reason);
      receiver.crashed(reason);
    };
    const connection = await openConnection({ ...this.#options, program, signal }, { ...receiver, crashed });
    log.debug(
      `codex app-server ${connection.version?.text ?? 'of unknown version'} is running (pid ${connection.pid})`,
    );
    return connection;
  }

  /** Stops Codex if no turn or command is running and no request is pending. Returns false otherwise. */
  async #stopIfIdle(): Promise<boolean> {
    const { hasRunningTurns, hasRunningCommands } = this.#threads;
    if (hasRunningTurns || hasRunningCommands || this.#client.hasRequestsInFlight) return false;
    this.#threads.clear();
    await this.#client.stop();
    return true;
  }

  #turnStarted(sessionId: string, answer: JsonObject): StartedTurn {
    const turnId = toTurnId(answer);
    this.#listener.event(sessionId, { kind: 'turn-started', turnId });
    return { sessionId, turnId };
  }
}

/** Stops waiting when the signal aborts. The result of the work is then ignored. */
async function unlessAborted<Result>(work: Promise<Result>, signal: AbortSignal | undefined): Promise<Result> {
  if (signal === undefined) return work;
  const aborting = waitForAbort(signal).then(() => Promise.reject(signal.reason));
  return Promise.race([work, aborting]);
}
