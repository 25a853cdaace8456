import { AppError, isAppError, messageOf } from '../../../base/errors.ts';
import type { OpenedSession, SessionSettings, TurnInput, TurnSettings } from '../../engine.ts';
import { isUnknownMethod } from './failures.ts';
import type { AppServerLink } from './link.ts';
import { ServerMarks } from './marks.ts';
import type { ClientMethod } from './methods.ts';
import { isWritable, startParams, threadParams, toOpened, turnParams, turnPolicy, withTurn } from './params.ts';
import { createRest, type Rest } from './rest.ts';

type Members = Readonly<Record<string, unknown>>;

/** The way to the app-server. */
export interface Calls {
  connected(): Promise<AppServerLink>;
  request(method: ClientMethod, params: Members, timeoutMs?: number): Promise<Members>;
  /** For a request about one session: its refusals are told in our words. */
  about(sessionId: string, method: ClientMethod, params: Members, timeoutMs?: number): Promise<Members>;
}

export interface ThreadsOptions {
  readonly calls: Calls;
  readonly warn: (sessionId: string, message: string) => void;
  readonly log: { debug(text: string): void };
  /** How long a session may rest before it is let go of. */
  readonly restMs?: number | undefined;
}

/** Codex waits for the MCP servers that a session cannot do without. */
export const OPEN_TIMEOUT_MS = 120_000;

interface Loaded {
  readonly session: OpenedSession;
  /** Its sandbox, in Codex's words. */
  readonly policy: unknown;
}

/** The sessions that the running app-server holds: opened in one of three ways, and let go of when nobody needs them. */
export class Threads {
  readonly #options: ThreadsOptions;
  readonly #marks = new ServerMarks();
  readonly #loaded = new Map<string, Loaded>();
  readonly #rest: Rest;

  constructor(options: ThreadsOptions) {
    this.#options = options;
    this.#rest = createRest((sessionId) => this.#letGo(sessionId), options.restMs);
  }

  find(sessionId: string): OpenedSession | undefined {
    return this.#loaded.get(sessionId)?.session;
  }

  async start(settings: SessionSettings): Promise<OpenedSession> {
    const send = (params: Members) => this.#options.calls.request('thread/start', params, OPEN_TIMEOUT_MS);
    try {
      return await this.#open(settings, send, startParams(settings));
    } catch (error) {
      if (!isAppError(error) || error.code !== 'REQUEST_FAILED') throw error;
      throw new AppError('REQUEST_FAILED', `Codex refused to start the session: ${error.message}`, { cause: error });
    }
  }

  resume(sessionId: string, settings: SessionSettings): Promise<OpenedSession> {
    const { name: _, ...kept } = settings;
    return this.#open(kept, this.#sendAbout(sessionId, 'thread/resume'), { excludeTurns: true });
  }

  fork(sessionId: string, settings: SessionSettings, more: Members): Promise<OpenedSession> {
    return this.#open(settings, this.#sendAbout(sessionId, 'thread/fork'), { ...more, excludeTurns: true });
  }

  /** Gives Codex's answer to `turn/start`. */
  async startTurn(sessionId: string, input: TurnInput, turn: TurnSettings, { addDirs = [] }: SessionSettings) {
    const { calls, warn } = this.#options;
    const loaded = this.#loaded.get(sessionId);
    const policy = turnPolicy(loaded?.policy, turn.sandbox, addDirs);
    const { version } = await calls.connected();
    const answer = await calls.about(
      sessionId,
      'turn/start',
      turnParams(input, turn, { policy, version }),
      OPEN_TIMEOUT_MS,
    );
    // Codex keeps what a turn changes.
    if (loaded !== undefined)
      this.#loaded.set(sessionId, { session: withTurn(loaded.session, turn), policy: policy ?? loaded.policy });
    if (addDirs.length > 0 && !isWritable(policy ?? loaded?.policy))
      warn(sessionId, 'addDirs has an effect in the sandbox workspace-write only.');
    return answer;
  }

  /** Nobody speaks to it, from now on. */
  rests(sessionId: string): void {
    this.#rest.begin(sessionId);
  }

  /** Somebody does. */
  works(sessionId: string): void {
    this.#rest.stop(sessionId);
  }

  /** Codex has closed it. */
  closed(sessionId: string): void {
    this.#loaded.delete(sessionId);
  }

  /** The app-server has ended, and holds nothing any more. */
  clear(): void {
    this.#loaded.clear();
    this.#rest.close();
  }

  #sendAbout(sessionId: string, method: ClientMethod): (params: Members) => Promise<Members> {
    return (params) => this.#options.calls.about(sessionId, method, params, OPEN_TIMEOUT_MS);
  }

  async #open(settings: SessionSettings, send: (params: Members) => Promise<Members>, more: Members) {
    const link = await this.#options.calls.connected();
    const answer = await this.#marks.add(link, settings, (marked) =>
      send({ ...threadParams(marked, link.version), ...more }),
    );
    const session = toOpened(answer);
    this.#loaded.set(session.sessionId, { session, policy: answer['sandbox'] });
    // Whatever becomes of it: one that gets no turn is let go of as well.
    this.#rest.begin(session.sessionId);
    if (settings.name !== undefined) void this.#setName(session.sessionId, settings.name);
    return session;
  }

  async #setName(sessionId: string, name: string): Promise<void> {
    try {
      await this.#options.calls.request('thread/name/set', { threadId: sessionId, name });
    } catch (error) {
      const reason = isUnknownMethod(error) ? 'this Codex cannot name sessions.' : messageOf(error);
      this.#options.warn(sessionId, `The session could not be named: ${reason}`);
    }
  }

  /** One that nobody speaks to keeps its MCP servers and its lock for nothing: the next message resumes it. */
  async #letGo(sessionId: string): Promise<void> {
    const loaded = this.#loaded.get(sessionId);
    if (loaded === undefined) return;
    // Before Codex is asked: a message that comes meanwhile must resume it, or nothing would be heard of its turn.
    this.#loaded.delete(sessionId);
    try {
      await this.#options.calls.request('thread/unsubscribe', { threadId: sessionId });
    } catch (error) {
      this.#options.log.debug(`thread/unsubscribe: ${messageOf(error)}`);
      // An old Codex knows no way to let go.
      if (isUnknownMethod(error) && !this.#loaded.has(sessionId)) this.#loaded.set(sessionId, loaded);
    }
  }
}
