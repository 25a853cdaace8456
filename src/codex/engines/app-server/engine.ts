import { AppError } from '../../../base/errors.ts';
import { isObject } from '../../../wire/messages.ts';
import type { IncomingRequest } from '../../../wire/rpc/incoming-requests.ts';
import type {
  Engine,
  EngineEvent,
  EngineListener,
  ForkRequest,
  ListQuery,
  OpenedSession,
  ReadQuery,
  ReviewTarget,
  SayRequest,
  SessionSettings,
  StartedTurn,
  StartRequest,
  TurnInput,
  TurnRef,
} from '../../engine.ts';
import { isAtLeast } from '../../locate/codex-version.ts';
import { type AppServerConnection, type ConnectionOptions, openConnection } from './connection.ts';
import { createPendingRequests } from './pending-requests.ts';
import { createEventReader, type EventReader } from './protocol/events.ts';
import { explainUnknownMethod, toSessionError } from './protocol/failures.ts';
import type { ClientMethod } from './protocol/methods.ts';
import { toInput, toTarget } from './protocol/params.ts';
import { parseServerRequest } from './protocol/server-requests.ts';
import { createQueries, type Queries } from './queries.ts';
import { SignIn } from './sign-in.ts';
import { SubAgents } from './sub-agents.ts';
import { createSupervisor, type Supervisor } from './supervisor.ts';
import { type AppServerClient, OPEN_TIMEOUT_MS, type SessionLimits, Threads } from './threads.ts';
import { TurnStopper, waitForAbort } from './turn-stopper.ts';

type Members = Readonly<Record<string, unknown>>;

export interface AppServerOptions extends Omit<ConnectionOptions, 'program'> {
  /** How to start Codex, found out when it is needed. */
  readonly program: () => Promise<ConnectionOptions['program']>;
  readonly log: { debug(text: string): void; warn(text: string): void };
  /** How long a session may rest before it is let go of. */
  readonly restMs?: number;
  /** The operator's limits, where there are any. */
  readonly limits?: SessionLimits;
}

/** A request that takes longer may have its reasons; a Codex that does not even answer a simple question has none. */
const PROBE_AFTER_MS = 5_000;
const PROBE_TIMEOUT_MS = 4_000;

const FORK_AT_TURN_UNSUPPORTED =
  'This Codex forks a session as it is now, not as it was at an earlier turn: leave out lastTurnId.';

/** One `codex app-server` for all sessions. */
export class AppServerEngine implements Engine {
  readonly name = 'app-server';
  readonly cannot = {};
  readonly #options: AppServerOptions;
  readonly #listener: EngineListener;
  readonly #lives: Supervisor;
  readonly #library: Queries;
  readonly #pending = createPendingRequests();
  readonly #agents = new SubAgents();
  readonly #threads: Threads;
  readonly #signIn: SignIn;
  readonly #stopping: TurnStopper;
  #openRequests = 0;
  #env: ConnectionOptions['program']['env'] = {};
  /** The turn that runs in a session, by the id under which Codex takes orders for it. */
  readonly #running = new Map<string, string>();

  constructor(options: AppServerOptions, listener: EngineListener) {
    this.#options = options;
    this.#listener = listener;
    this.#lives = createSupervisor((onCrash, signal) => this.#open(onCrash, signal));
    const client: AppServerClient = {
      connected: () => this.#lives.connected(),
      request: (method, params, timeoutMs) => this.#request(method, params, timeoutMs),
      about: (sessionId, method, params, timeoutMs) => this.#about(sessionId, method, params, timeoutMs),
    };
    const warn = (sessionId: string, message: string) => listener.event(sessionId, { kind: 'warning', message });
    const { log, restMs: idleMs, limits } = options;
    const folderOf = async (sessionId: string) => (await this.read({ sessionId, limit: 1 })).directory;
    this.#signIn = new SignIn({
      request: client.request,
      env: () => this.#env,
      endIdle: () => this.#endIdle(),
      log,
    });
    this.#threads = new Threads({ calls: client, warn, log, restMs: idleMs, limits, folderOf, signIn: this.#signIn });
    this.#stopping = new TurnStopper({
      calls: client,
      lives: this.#lives,
      threads: this.#threads,
      running: this.#running,
      agentsOf: (sessionId) => this.#agents.of(sessionId),
      log,
    });
    this.#library = createQueries({
      ...client,
      version: async () => (await this.#lives.connected()).version,
    });
  }

  async start({ settings, turn, input, onOpened, check, signal }: StartRequest): Promise<StartedTurn> {
    const session = await unlessAborted(this.open(settings), signal);
    await check?.(await this.#threads.permissions(session.sessionId, turn, settings));
    signal?.throwIfAborted();
    onOpened(session);
    const { effort } = settings;
    const first = effort === undefined ? turn : { effort, ...turn };
    return this.#turnStarted(
      session.sessionId,
      await this.#threads.startTurn(session.sessionId, input, first, settings),
    );
  }

  async say({ sessionId, settings, turn, input, onOpened, check, signal }: SayRequest): Promise<StartedTurn> {
    this.#threads.works(sessionId);
    if (this.#threads.find(sessionId) === undefined) {
      const session = await unlessAborted(this.#threads.resume(sessionId, settings), signal);
      this.#listener.event(sessionId, { kind: 'opened', session });
    }
    signal?.throwIfAborted();
    const session = this.#threads.find(sessionId) ?? { sessionId, cwd: '' };
    await check?.(await this.#threads.permissions(sessionId, turn, settings));
    signal?.throwIfAborted();
    onOpened?.(session);
    return this.#turnStarted(sessionId, await this.#threads.startTurn(sessionId, input, turn, settings));
  }

  async open(settings: SessionSettings, { check }: Parameters<Engine['open']>[1] = {}): Promise<OpenedSession> {
    const session = await this.#threads.start(settings);
    await check?.(await this.#threads.permissions(session.sessionId, {}, settings));
    return session;
  }

  async fork({ sessionId, settings, lastTurnId, check }: ForkRequest): Promise<OpenedSession> {
    if (lastTurnId !== undefined && (await this.#connectedIsOld()))
      throw new AppError('REQUEST_FAILED', FORK_AT_TURN_UNSUPPORTED);
    const session = await this.#threads.fork(sessionId, settings, lastTurnId === undefined ? {} : { lastTurnId });
    await check?.(await this.#threads.permissions(session.sessionId, {}, settings));
    return { ...session, forkedFrom: sessionId };
  }

  async review(sessionId: string, target: ReviewTarget): Promise<StartedTurn> {
    this.#threads.refuseRules(sessionId, (await this.#lives.connected()).version);
    return this.#turnStarted(
      sessionId,
      await this.#about(sessionId, 'review/start', { target: toTarget(target) }, OPEN_TIMEOUT_MS),
    );
  }

  async steer({ sessionId, turnId }: TurnRef, input: TurnInput): Promise<void> {
    const expectedTurnId = this.#running.get(sessionId) ?? turnId;
    await this.#about(sessionId, 'turn/steer', { expectedTurnId, input: toInput(input) });
  }

  interrupt(turn: TurnRef, signal: AbortSignal): Promise<void> {
    return this.#stopping.interrupt(turn, signal);
  }

  stopCommands(sessionId: string): Promise<void> {
    return this.#stopping.stopCommands(sessionId);
  }

  endUnresponsive(withinMs: number): Promise<boolean> {
    return this.#stopping.endUnresponsive(withinMs);
  }

  list(query: ListQuery) {
    return this.#library.list(query);
  }

  read(query: ReadQuery) {
    return this.#library.read(query);
  }

  models() {
    return this.#library.models();
  }

  rateLimits() {
    return this.#library.rateLimits();
  }

  async close(): Promise<void> {
    this.#threads.clear();
    this.#pending.withdrawAll(new AppError('CONNECTION_CLOSED', 'Codex was closed.'));
    await this.#lives.close();
  }

  async #open(onCrash: (reason: AppError) => void, signal: AbortSignal): Promise<AppServerConnection> {
    const { log } = this.#options;
    const program = await this.#options.program();
    this.#env = program.env;
    this.#signIn.started();
    const reader = createEventReader(() => this.#isOld());
    const connection = await openConnection(
      { ...this.#options, program, unwanted: signal },
      {
        notification: (method, params) => this.#notified(reader, method, params),
        request: (request) => this.#asked(reader, request),
        fell: (reason) => {
          this.#threads.clear();
          this.#running.clear();
          this.#agents.clear();
          this.#pending.withdrawAll(reason);
          onCrash(reason);
          this.#listener.fell(reason);
        },
      },
    );
    log.debug(`codex app-server ${connection.version?.text ?? 'of unknown version'} runs (pid ${connection.pid})`);
    return connection;
  }

  /** Ends Codex if no turn or command is running and no request is pending; false otherwise. */
  async #endIdle(): Promise<boolean> {
    if (this.#running.size > 0 || this.#openRequests > 0 || this.#threads.haveCommands) return false;
    this.#threads.clear();
    await this.#lives.end();
    return true;
  }

  async #connectedIsOld(): Promise<boolean> {
    await this.#lives.connected();
    return this.#isOld();
  }

  /** 0.92 is, 0.150 is not; what was between has not been looked at. */
  #isOld(): boolean {
    const version = this.#lives.current()?.version;
    return version !== undefined && !isAtLeast(version, 150);
  }

  #notified(reader: EventReader, method: string, params: Members): void {
    const sessionId = isObject(params['thread']) ? params['thread']['id'] : params['threadId'];
    if (method === 'account/rateLimits/updated') reader.read(method, params);
    if (typeof sessionId !== 'string') return;
    if (method === 'serverRequest/resolved') this.#pending.resolved(params['requestId']);
    if (method === 'thread/closed') this.#threads.closed(sessionId);
    if (method === 'item/started' || method === 'item/completed') this.#agents.learn(sessionId, params);
    for (const event of reader.read(method, params)) {
      this.#follow(sessionId, event);
      this.#listener.event(sessionId, event);
      if (event.kind === 'turn-ended') this.#pending.withdrawOf(sessionId);
    }
    this.#listener.notified?.(sessionId, method, params);
  }

  /** Who is at work, and who has rested for long. */
  #follow(sessionId: string, event: EngineEvent): void {
    if (event.kind === 'turn-started') {
      this.#running.set(sessionId, event.turnId);
      this.#threads.works(sessionId);
    }
    if (event.kind === 'item') this.#threads.worked(this.#agents.sessionOf(sessionId), sessionId, event.item);
    if (event.kind === 'turn-ended') {
      this.#running.delete(sessionId);
      this.#threads.rests(sessionId);
    }
  }

  #asked(reader: EventReader, request: IncomingRequest): unknown {
    const parsed = parseServerRequest(request, reader.filesOf);
    if (parsed.kind === 'answer') return parsed.result;
    return this.#pending.ask(request, parsed, (asked) =>
      this.#listener.question(this.#agents.sessionOf(parsed.sessionId), asked),
    );
  }

  async #request(method: ClientMethod, params: Members, timeoutMs?: number): Promise<Members> {
    const connection = await this.#lives.connected();
    this.#openRequests++;
    const probeTimer = setTimeout(() => void this.endUnresponsive(PROBE_TIMEOUT_MS), PROBE_AFTER_MS).unref();
    try {
      return await connection.request(method, params, timeoutMs === undefined ? {} : { timeoutMs });
    } catch (error) {
      throw explainUnknownMethod(error, method, connection.version);
    } finally {
      clearTimeout(probeTimer);
      this.#openRequests--;
    }
  }

  /** For a request about one session: its refusals are told in our words. */
  async #about(sessionId: string, method: ClientMethod, params: Members, timeoutMs?: number): Promise<Members> {
    try {
      return await this.#request(method, { threadId: sessionId, ...params }, timeoutMs);
    } catch (error) {
      throw toSessionError(error, sessionId);
    }
  }

  #turnStarted(sessionId: string, { turn }: Members): StartedTurn {
    const turnId = String(isObject(turn) ? turn['id'] : undefined);
    this.#listener.event(sessionId, { kind: 'turn-started', turnId });
    return { sessionId, turnId };
  }
}

/** Does not wait for what nobody wants any more; it ends unheard. */
async function unlessAborted<Result>(work: Promise<Result>, signal: AbortSignal | undefined): Promise<Result> {
  if (signal === undefined) return work;
  const aborting = waitForAbort(signal).then(() => Promise.reject(signal.reason));
  return Promise.race([work, aborting]);
}
