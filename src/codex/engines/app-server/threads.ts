import { messageOf } from '../../../base/errors.ts';
import type { JsonObject } from '../../../wire/messages.ts';
import type { OpenedSession, SessionSettings, TurnInput, TurnPermissions, TurnSettings } from '../../engine.ts';
import type { Item } from '../../item-types.ts';
import type { CodexVersion } from '../../locate/codex-version.ts';
import { RunningCommands } from '../running-commands.ts';
import { createIdleTimers, type IdleTimers } from './idle-timers.ts';
import { isUnknownMethod } from './protocol/failures.ts';
import { turnParams, withTurn } from './protocol/params.ts';
import { toOpenedPermissions, toTurnPermissions } from './protocol/permissions.ts';
import { isWritable, sandboxSettings, toSandboxPolicy } from './protocol/sandbox-policy.ts';
import type { SubAgents } from './sub-agents.ts';
import { OPEN_TIMEOUT_MS, type OpenedThread, ThreadOpener, type ThreadOpenerOptions } from './thread-opener.ts';

export interface ThreadsOptions extends ThreadOpenerOptions {
  readonly subAgents: SubAgents;
  /** How long a session may be idle before it is unloaded. */
  readonly idleMs?: number | undefined;
}

/** The sessions that are loaded in the app-server. They are started, resumed or forked, and unloaded when idle. */
export class Threads {
  readonly #options: ThreadsOptions;
  readonly #opener: ThreadOpener;
  readonly #loaded = new Map<string, OpenedThread>();
  readonly #idleTimers: IdleTimers;
  /** The running turn of each session and agent, by the id that Codex accepts in requests. */
  readonly #runningTurns = new Map<string, string>();
  /** By the thread that runs them, which may belong to an agent. */
  readonly #commands = new RunningCommands();

  constructor(options: ThreadsOptions) {
    this.#options = options;
    this.#opener = new ThreadOpener(options);
    this.#idleTimers = createIdleTimers((sessionId) => this.#unload(sessionId), options.idleMs);
  }

  find(sessionId: string): OpenedSession | undefined {
    return this.#loaded.get(sessionId)?.session;
  }

  async start(settings: SessionSettings): Promise<OpenedSession> {
    return this.#add(await this.#opener.start(settings));
  }

  async resume(sessionId: string, settings: SessionSettings): Promise<OpenedSession> {
    return this.#add(await this.#opener.resume(sessionId, settings));
  }

  async fork(sessionId: string, settings: SessionSettings, more: JsonObject): Promise<OpenedSession> {
    return this.#add(await this.#opener.fork(sessionId, settings, more));
  }

  /** Returns the permissions of the next turn of an opened session. */
  async permissions(sessionId: string, turn: TurnSettings, settings: SessionSettings): Promise<TurnPermissions> {
    const loaded = this.#loaded.get(sessionId);
    const policy = (await this.#policyOf(loaded, turn, settings)) ?? loaded?.policy;
    const opened = loaded?.permissions ?? toOpenedPermissions({}, '');
    const { client, limits } = this.#options;
    const { version } = await client.connect();
    const isSandboxRequested = turn.sandbox !== undefined;
    return toTurnPermissions(opened, policy, { isSandboxRequested, tmpdir: limits?.tmpdir, version });
  }

  /** Returns Codex's response to `turn/start`. */
  async startTurn(sessionId: string, input: TurnInput, turn: TurnSettings, settings: SessionSettings) {
    const { client, warn } = this.#options;
    const { addDirs = [] } = settings;
    const loaded = this.#loaded.get(sessionId);
    const policy = await this.#policyOf(loaded, turn, settings);
    const { version } = await client.connect();
    this.refuseRules(sessionId, version);
    const answer = await client.requestForSession(
      sessionId,
      'turn/start',
      turnParams(input, turn, { policy, version }),
      OPEN_TIMEOUT_MS,
    );
    // Codex keeps the settings that a turn changes.
    if (loaded !== undefined)
      this.#loaded.set(sessionId, {
        ...loaded,
        session: withTurn(loaded.session, turn),
        policy: policy ?? loaded.policy,
      });
    if (addDirs.length > 0 && !isWritable(policy ?? loaded?.policy))
      warn(sessionId, 'addDirs has an effect only in the sandbox workspace-write.');
    return answer;
  }

  /** Checks the rules again: Codex reads them when it opens a session, and again for agents and reviews. */
  refuseRules(sessionId: string, version: CodexVersion | undefined): void {
    const cwd = this.#loaded.get(sessionId)?.session.cwd;
    if (cwd !== undefined) this.#options.limits?.refuseRules(cwd, version);
  }

  #policyOf(loaded: OpenedThread | undefined, { sandbox }: TurnSettings, { addDirs = [], config }: SessionSettings) {
    const { client, limits } = this.#options;
    const settings = async () => {
      // Under limits the configuration of a project is ignored.
      const folder = limits === undefined ? loaded?.session.cwd : undefined;
      const read = await client.request('config/read', { cwd: folder || null });
      return sandboxSettings(read['config'], loaded?.config ?? config);
    };
    return toSandboxPolicy({ current: loaded?.policy, requested: sandbox, addDirs, settings });
  }

  /** Records the running turn of a session or of one of its agents. */
  turnStarted(threadId: string, turnId: string): void {
    this.#runningTurns.set(threadId, turnId);
    this.#idleTimers.stop(threadId);
  }

  turnEnded(threadId: string): void {
    this.#runningTurns.delete(threadId);
    this.#idleTimers.begin(threadId);
  }

  /** Returns the id of the running turn that Codex accepts in requests. */
  runningTurnOf(threadId: string): string | undefined {
    return this.#runningTurns.get(threadId);
  }

  /** True while a turn is running in any session. */
  get hasRunningTurns(): boolean {
    return this.#runningTurns.size > 0;
  }

  /** Stops the idle timer when the session is used again. */
  stopIdleTimer(sessionId: string): void {
    this.#idleTimers.stop(sessionId);
  }

  /** Tracks an item of a session or of one of its agents. */
  trackItem(threadId: string, item: Item): void {
    this.#commands.track(threadId, item);
  }

  /** Forgets the commands of a thread that have been stopped. */
  clearCommands(threadId: string): void {
    this.#commands.forget(threadId);
  }

  /** True while a command is running in any session. */
  get hasRunningCommands(): boolean {
    return this.#commands.size > 0;
  }

  /** Removes a session that Codex has closed. */
  forget(sessionId: string): void {
    this.#loaded.delete(sessionId);
  }

  /** Removes all sessions after the app-server has ended. */
  clear(): void {
    this.#loaded.clear();
    this.#runningTurns.clear();
    this.#commands.clear();
    this.#idleTimers.close();
  }

  #add(thread: OpenedThread): OpenedSession {
    const { session } = thread;
    this.#loaded.set(session.sessionId, thread);
    // Start the timer in any case, so that a session without a turn is unloaded as well.
    this.#idleTimers.begin(session.sessionId);
    return session;
  }

  #hasCommandsIn(sessionId: string): boolean {
    return [sessionId, ...this.#options.subAgents.threadsOf(sessionId)].some((thread) => this.#commands.has(thread));
  }

  /**
   * Unloads an idle session, which would otherwise keep its MCP servers and its lock. The next message resumes it.
   * Codex kills the commands of a session that it unloads, so a session with a running command is kept until the
   * command has ended.
   */
  async #unload(sessionId: string): Promise<void> {
    const loaded = this.#loaded.get(sessionId);
    if (loaded === undefined) return;
    if (this.#hasCommandsIn(sessionId)) return this.#idleTimers.begin(sessionId);
    // Before the request: a message that arrives meanwhile must resume the session, or its turn would report no events.
    this.#loaded.delete(sessionId);
    try {
      await this.#options.client.request('thread/unsubscribe', { threadId: sessionId });
    } catch (error) {
      this.#options.log.debug(`thread/unsubscribe: ${messageOf(error)}`);
      // An old Codex cannot unload a session.
      if (isUnknownMethod(error) && !this.#loaded.has(sessionId)) this.#loaded.set(sessionId, loaded);
    }
  }
}
