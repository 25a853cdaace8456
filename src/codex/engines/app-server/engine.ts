import { setTimeout as delay } from 'node:timers/promises';
import { AppError, messageOf } from '../../../base/errors.ts';
import { endMarked } from '../../../base/process/sweep.ts';
import type { IncomingRequest } from '../../../wire/incoming.ts';
import { isObject } from '../../../wire/messages.ts';
import { isAtLeast } from '../../codex-version.ts';
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
  TurnName,
} from '../../engine.ts';
import { Agents } from './agents.ts';
import { createEventReader, type EventReader } from './events.ts';
import { isNoActiveTurn, isUnknownMethod, toSessionError } from './failures.ts';
import { createLibrary, type Library } from './library.ts';
import { createLives, type Lives } from './life.ts';
import { type AppServerLink, type LinkOptions, openLink } from './link.ts';
import type { ClientMethod } from './methods.ts';
import { toInput, toTarget } from './params.ts';
import { createPending } from './pending.ts';
import { readRequest } from './requests.ts';
import { type Calls, OPEN_TIMEOUT_MS, Threads } from './threads.ts';

type Members = Readonly<Record<string, unknown>>;

export interface AppServerOptions extends Omit<LinkOptions, 'program'> {
  /** How to start Codex, found out when it is needed. */
  readonly program: () => Promise<LinkOptions['program']>;
  readonly log: { debug(text: string): void; warn(text: string): void };
  /** How long a session may rest before it is let go of. */
  readonly restMs?: number;
}

/** Codex answers at once or, for a turn that has just ended, in some versions never. */
const INTERRUPT_TIMEOUT_MS = 3_000;
const RETRY_INTERRUPT_MS = 5;

const FORKS_WHOLE = 'This Codex forks a session as it is now, not as it was at an earlier turn: leave out lastTurnId.';

/** One `codex app-server` for all sessions. */
export class AppServerEngine implements Engine {
  readonly name = 'app-server';
  readonly cannot = {};
  readonly #options: AppServerOptions;
  readonly #listener: EngineListener;
  readonly #lives: Lives;
  readonly #library: Library;
  readonly #pending = createPending();
  readonly #agents = new Agents();
  readonly #threads: Threads;
  /** The turn that runs in a session, by the id under which Codex takes orders for it. */
  readonly #running = new Map<string, string>();

  constructor(options: AppServerOptions, listener: EngineListener) {
    this.#options = options;
    this.#listener = listener;
    this.#lives = createLives((fell, unwanted) => this.#open(fell, unwanted));
    const calls: Calls = {
      connected: () => this.#lives.connected(),
      request: (method, params, timeoutMs) => this.#request(method, params, timeoutMs),
      about: (sessionId, method, params, timeoutMs) => this.#about(sessionId, method, params, timeoutMs),
    };
    const warn = (sessionId: string, message: string) => listener.event(sessionId, { kind: 'warning', message });
    this.#threads = new Threads({ calls, warn, log: options.log, restMs: options.restMs });
    this.#library = createLibrary({
      ...calls,
      version: async () => (await this.#lives.connected()).version,
    });
  }

  async start({ settings, turn, input, onOpened, check, signal }: StartRequest): Promise<StartedTurn> {
    const session = await unlessAborted(this.open(settings), signal);
    check?.(turn.sandbox ?? session.sandbox);
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
    check?.(turn.sandbox ?? session.sandbox);
    onOpened?.(session);
    return this.#turnStarted(sessionId, await this.#threads.startTurn(sessionId, input, turn, settings));
  }

  open(settings: SessionSettings): Promise<OpenedSession> {
    return this.#threads.start(settings);
  }

  async fork({ sessionId, settings, lastTurnId, check }: ForkRequest): Promise<OpenedSession> {
    if (lastTurnId !== undefined && (await this.#connectedIsOld())) throw new AppError('REQUEST_FAILED', FORKS_WHOLE);
    const session = await this.#threads.fork(sessionId, settings, lastTurnId === undefined ? {} : { lastTurnId });
    check?.(session.sandbox);
    return { ...session, forkedFrom: sessionId };
  }

  async review(sessionId: string, target: ReviewTarget): Promise<StartedTurn> {
    return this.#turnStarted(
      sessionId,
      await this.#about(sessionId, 'review/start', { target: toTarget(target) }, OPEN_TIMEOUT_MS),
    );
  }

  async steer({ sessionId, turnId }: TurnName, input: TurnInput): Promise<void> {
    const expectedTurnId = this.#running.get(sessionId) ?? turnId;
    await this.#about(sessionId, 'turn/steer', { expectedTurnId, input: toInput(input) });
  }

  async interrupt({ sessionId, turnId }: TurnName, signal: AbortSignal): Promise<void> {
    const agents = this.#agents.of(sessionId).map((agent) => this.#interruptThread(agent, undefined, signal));
    await Promise.all([this.#interruptThread(sessionId, turnId, signal), ...agents]);
  }

  async stopCommands(sessionId: string): Promise<void> {
    await Promise.all(
      [sessionId, ...this.#agents.of(sessionId)].map((threadId) => this.#stopThread(threadId, sessionId)),
    );
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

  async #open(fell: (reason: AppError) => void, unwanted: AbortSignal): Promise<AppServerLink> {
    const { program, log } = this.#options;
    const reader = createEventReader(() => this.#isOld());
    const link = await openLink(
      { ...this.#options, program: await program(), unwanted },
      {
        notification: (method, params) => this.#notified(reader, method, params),
        request: (request) => this.#asked(reader, request),
        fell: (reason) => {
          this.#threads.clear();
          this.#running.clear();
          this.#agents.clear();
          this.#pending.withdrawAll(reason);
          fell(reason);
          this.#listener.fell(reason);
        },
      },
    );
    log.debug(`codex app-server ${link.version?.text ?? 'of unknown version'} runs (pid ${link.pid})`);
    return link;
  }

  async #interruptThread(threadId: string, turnId: string | undefined, signal: AbortSignal): Promise<void> {
    // Between the answer to its start and the news that it has begun, Codex knows of no turn; it runs all the same.
    while (!signal.aborted) {
      const named = this.#running.get(threadId) ?? turnId;
      if (named === undefined) return;
      const asked = this.#about(threadId, 'turn/interrupt', { turnId: named }, INTERRUPT_TIMEOUT_MS);
      try {
        return void (await Promise.race([asked, aborted(signal)]));
      } catch (error) {
        if (!isNoActiveTurn(error)) return this.#options.log.debug(`turn/interrupt: ${messageOf(error)}`);
      }
      await delay(RETRY_INTERRUPT_MS);
    }
  }

  async #stopThread(threadId: string, sessionId: string): Promise<void> {
    const link = this.#lives.current();
    if (link === undefined || this.#threads.find(sessionId) === undefined) return;
    try {
      await this.#about(threadId, 'thread/backgroundTerminals/clean', {}, INTERRUPT_TIMEOUT_MS);
      // Codex ends the group of a command; what has left it still has the session in its environment.
      return await endMarked([link.mark, `CODEX_THREAD_ID=${threadId}`]);
    } catch (error) {
      if (!isUnknownMethod(error)) throw error;
    }
    // An old Codex cannot end them; they end with it, when nobody else needs it.
    if (this.#running.size > 0)
      return this.#options.log.warn('This Codex cannot end the commands of one session while others run.');
    this.#threads.clear();
    await this.#lives.end();
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
    if (event.kind === 'turn-ended') {
      this.#running.delete(sessionId);
      this.#threads.rests(sessionId);
    }
  }

  #asked(reader: EventReader, request: IncomingRequest): unknown {
    const meaning = readRequest(request, reader.filesOf);
    if (meaning.kind === 'answer') return meaning.result;
    return this.#pending.ask(request, meaning, (asked) =>
      this.#listener.question(this.#agents.sessionOf(meaning.sessionId), asked),
    );
  }

  async #request(method: ClientMethod, params: Members, timeoutMs?: number): Promise<Members> {
    const link = await this.#lives.connected();
    return link.request(method, params, timeoutMs === undefined ? {} : { timeoutMs });
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
  const gone = aborted(signal).then(() => Promise.reject(signal.reason));
  return Promise.race([work, gone]);
}

/** Resolves when it is. A request that is no longer waited for may fail unheard. */
function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
