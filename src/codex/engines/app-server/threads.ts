import { AppError, isAppError, messageOf } from '../../../base/errors.ts';
import type { JsonObject } from '../../../wire/messages.ts';
import type {
  LimitConfig,
  OpenedSession,
  SessionSettings,
  TurnInput,
  TurnPermissions,
  TurnSettings,
} from '../../engine.ts';
import type { Item } from '../../item-types.ts';
import { type CodexVersion, isAtLeast } from '../../locate/codex-version.ts';
import { realPathOf } from '../../real-folder.ts';
import { mergeConfig } from '../../settings/merge-config.ts';
import type { AppServerClient } from './client.ts';
import type { AppServerConnection } from './connection.ts';
import { createIdleTimers, type IdleTimers } from './idle-timers.ts';
import { McpServerEnv } from './mcp-server-env.ts';
import { OpenCommands } from './open-commands.ts';
import { isUnknownMethod } from './protocol/failures.ts';
import type { ClientMethod } from './protocol/methods.ts';
import { startParams, threadParams, toOpened, turnParams, withEffort, withTurn } from './protocol/params.ts';
import { type OpenedPermissions, toOpenedPermissions, toTurnPermissions } from './protocol/permissions.ts';
import { isWritable, sandboxSettings, toSandboxPolicy } from './protocol/sandbox-policy.ts';
import type { SignIn, SignInState } from './sign-in.ts';

export interface ThreadsOptions {
  readonly client: AppServerClient;
  readonly warn: (sessionId: string, message: string) => void;
  readonly log: { debug(text: string): void };
  /** How long a session may be idle before it is unloaded. */
  readonly idleMs?: number | undefined;
  readonly limits: SessionLimits | undefined;
  readonly signIn: Pick<SignIn, 'state' | 'assertSignedIn'>;
  /** Returns the folder of a stored session. */
  readonly folderOf: (sessionId: string) => Promise<string | undefined>;
}

/** The operator's limits, if there are any. */
export interface SessionLimits {
  readonly config: LimitConfig;
  /** The TMPDIR of Codex, which commands may write to. If undefined, Codex gets none. */
  readonly tmpdir: string | undefined;
  /** Throws if this Codex would apply rules that a session may have written. */
  readonly refuseRules: (cwd: string, version: CodexVersion | undefined) => void;
}

/**
 * 0.150 keeps sandbox and approval policy of a stored session, and protects the `.codex` of a working folder from
 * writes; 0.92 does neither. The versions between are untested.
 */
const KEEPS_SETTINGS_MINOR = 150;

/** Codex waits for the MCP servers that a session requires. */
export const OPEN_TIMEOUT_MS = 120_000;

interface LoadedThread {
  readonly session: OpenedSession;
  /** The sandbox policy, in Codex's format. */
  readonly policy: unknown;
  readonly permissions: OpenedPermissions;
  /** The configuration that the session was opened with. */
  readonly config: SessionSettings['config'];
}

/** The stored session to open, or none for a new one. */
type Origin = { readonly storedSessionId?: string };

/** The sessions that are loaded in the app-server. They are started, resumed or forked, and unloaded when idle. */
export class Threads {
  readonly #options: ThreadsOptions;
  readonly #mcpServerEnv: McpServerEnv;
  readonly #loaded = new Map<string, LoadedThread>();
  readonly #idleTimers: IdleTimers;
  readonly #commands = new OpenCommands();

  constructor(options: ThreadsOptions) {
    this.#options = options;
    this.#mcpServerEnv = new McpServerEnv({ readsProjects: options.limits === undefined });
    this.#idleTimers = createIdleTimers((sessionId) => this.#unload(sessionId), options.idleMs);
  }

  find(sessionId: string): OpenedSession | undefined {
    return this.#loaded.get(sessionId)?.session;
  }

  async start(settings: SessionSettings): Promise<OpenedSession> {
    const send = (params: JsonObject) => this.#options.client.request('thread/start', params, OPEN_TIMEOUT_MS);
    try {
      return await this.#open(settings, send, startParams(settings), {});
    } catch (error) {
      if (!isAppError(error) || error.code !== 'REQUEST_FAILED') throw error;
      throw new AppError('REQUEST_FAILED', `Codex refused to start the session: ${error.message}`, { cause: error });
    }
  }

  resume(sessionId: string, settings: SessionSettings): Promise<OpenedSession> {
    const { name: _, ...settingsToResume } = settings;
    const send = this.#sendAbout(sessionId, 'thread/resume');
    return this.#open(withEffort(settingsToResume), send, { excludeTurns: true }, { storedSessionId: sessionId });
  }

  fork(sessionId: string, settings: SessionSettings, more: JsonObject): Promise<OpenedSession> {
    const send = this.#sendAbout(sessionId, 'thread/fork');
    return this.#open(withEffort(settings), send, { ...more, excludeTurns: true }, { storedSessionId: sessionId });
  }

  /** Returns the permissions of the next turn of an opened session. */
  async permissions(sessionId: string, turn: TurnSettings, settings: SessionSettings): Promise<TurnPermissions> {
    const loaded = this.#loaded.get(sessionId);
    const policy = (await this.#policyOf(loaded, turn, settings)) ?? loaded?.policy;
    const opened = loaded?.permissions ?? toOpenedPermissions({}, '');
    return toTurnPermissions(opened, policy, {
      isSandboxRequested: turn.sandbox !== undefined,
      tmpdir: this.#options.limits?.tmpdir,
    });
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
      warn(sessionId, 'addDirs has an effect in the sandbox workspace-write only.');
    return answer;
  }

  /** Checks the rules again: Codex reads them when it opens a session, and again for agents and reviews. */
  refuseRules(sessionId: string, version: CodexVersion | undefined): void {
    const cwd = this.#loaded.get(sessionId)?.session.cwd;
    if (cwd !== undefined) this.#options.limits?.refuseRules(cwd, version);
  }

  #policyOf(loaded: LoadedThread | undefined, { sandbox }: TurnSettings, { addDirs = [], config }: SessionSettings) {
    const { client, limits } = this.#options;
    const settings = async () => {
      // Under limits the configuration of a project is ignored.
      const folder = limits === undefined ? loaded?.session.cwd : undefined;
      const read = await client.request('config/read', { cwd: folder || null });
      return sandboxSettings(read['config'], loaded?.config ?? config);
    };
    return toSandboxPolicy({ current: loaded?.policy, requested: sandbox, addDirs, settings });
  }

  /** Starts the idle timer after a turn. */
  startIdleTimer(sessionId: string): void {
    this.#idleTimers.begin(sessionId);
  }

  /** Stops the idle timer when the session is used again. */
  stopIdleTimer(sessionId: string): void {
    this.#idleTimers.stop(sessionId);
  }

  /** Tracks an item of a thread of the session. The thread may belong to one of Codex's own agents. */
  trackItem(sessionId: string, threadId: string, item: Item): void {
    this.#commands.follow(sessionId, threadId, item);
  }

  /** Forgets the commands of a thread that have been stopped. */
  clearCommands(threadId: string): void {
    this.#commands.ended(threadId);
  }

  /** True while a command is running in any session. */
  get hasRunningCommands(): boolean {
    return this.#commands.some;
  }

  /** Removes a session that Codex has closed. */
  forget(sessionId: string): void {
    this.#loaded.delete(sessionId);
  }

  /** Removes all sessions after the app-server has ended. */
  clear(): void {
    this.#loaded.clear();
    this.#commands.clear();
    this.#idleTimers.close();
  }

  #sendAbout(sessionId: string, method: ClientMethod): (params: JsonObject) => Promise<JsonObject> {
    return (params) => this.#options.client.requestForSession(sessionId, method, params, OPEN_TIMEOUT_MS);
  }

  async #open(
    settings: SessionSettings,
    send: (params: JsonObject) => Promise<JsonObject>,
    more: JsonObject,
    origin: Origin,
  ): Promise<OpenedSession> {
    const { signIn, client } = this.#options;
    // Starts Codex first: only a running process can report its sign-in.
    await client.connect();
    const state = await signIn.state();
    const { cwd, config = {} } = settings;
    if (origin.storedSessionId === undefined) await signIn.assertSignedIn(state, { cwd, config });
    const connection = await client.connect();
    const limitedSettings = await this.#withLimits(settings, connection, origin);
    const answer = await this.#mcpServerEnv.openWithEnv(connection, limitedSettings, (withEnv) =>
      send({ ...threadParams(withEnv, connection.version), ...more }),
    );
    const session = toOpened(answer);
    const permissions = toOpenedPermissions(answer, session.cwd);
    this.#loaded.set(session.sessionId, {
      session,
      policy: answer['sandbox'],
      permissions,
      config: limitedSettings.config,
    });
    // Start the timer in any case, so that a session without a turn is unloaded as well.
    this.#idleTimers.begin(session.sessionId);
    if (origin.storedSessionId !== undefined) await this.#assertStoredSignedIn(session, state, answer['modelProvider']);
    if (settings.name !== undefined) void this.#setName(session.sessionId, settings.name);
    return session;
  }

  /** Checks a stored session after it has been opened, because only Codex knows its provider. */
  async #assertStoredSignedIn({ sessionId, cwd }: OpenedSession, state: SignInState, provider: unknown): Promise<void> {
    try {
      await this.#options.signIn.assertSignedIn(state, { cwd, config: { model_provider: provider } });
    } catch (error) {
      await this.#unload(sessionId);
      throw error;
    }
  }

  async #withLimits(
    settings: SessionSettings,
    connection: AppServerConnection,
    { storedSessionId }: Origin,
  ): Promise<SessionSettings> {
    const { limits, folderOf } = this.#options;
    if (limits === undefined) return settings;
    const named = settings.cwd ?? (storedSessionId === undefined ? undefined : await folderOf(storedSessionId));
    if (named === undefined) throw new AppError('DENIED', 'Codex did not report the folder of this session.');
    const cwd = realPathOf(named);
    const isRecent = connection.version === undefined || isAtLeast(connection.version, KEEPS_SETTINGS_MINOR);
    const config = await limits.config({
      cwd,
      settings,
      readsPolicyFromConfig: storedSessionId === undefined || !isRecent,
      protectsProjectConfig: connection.version !== undefined && isRecent,
      version: connection.version,
    });
    // A stored session has to work in the folder that the limits were created for.
    return { ...settings, cwd, config: mergeConfig(settings.config ?? {}, config) };
  }

  async #setName(sessionId: string, name: string): Promise<void> {
    try {
      await this.#options.client.request('thread/name/set', { threadId: sessionId, name });
    } catch (error) {
      const reason = isUnknownMethod(error) ? 'this Codex cannot name sessions.' : messageOf(error);
      this.#options.warn(sessionId, `The session could not be named: ${reason}`);
    }
  }

  /**
   * Unloads an idle session, which would otherwise keep its MCP servers and its lock. The next message resumes it.
   * Codex kills the commands of a session that it unloads, so a session with a running command is kept until the
   * command has ended.
   */
  async #unload(sessionId: string): Promise<void> {
    const loaded = this.#loaded.get(sessionId);
    if (loaded === undefined) return;
    if (this.#commands.runIn(sessionId)) return this.#idleTimers.begin(sessionId);
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
