import { AppError, isAppError, messageOf } from '../../../base/errors.ts';
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

type Members = Readonly<Record<string, unknown>>;

/** The way to the app-server. */
export interface AppServerClient {
  connect(): Promise<AppServerConnection>;
  request(method: ClientMethod, params: Members, timeoutMs?: number): Promise<Members>;
  /** For a request about one session: its refusals are told in our words. */
  requestForSession(sessionId: string, method: ClientMethod, params: Members, timeoutMs?: number): Promise<Members>;
}

export interface ThreadsOptions {
  readonly client: AppServerClient;
  readonly warn: (sessionId: string, message: string) => void;
  readonly log: { debug(text: string): void };
  /** How long a session may rest before it is let go of. */
  readonly idleMs?: number | undefined;
  readonly limits: SessionLimits | undefined;
  readonly signIn: Pick<SignIn, 'state' | 'assertSignedIn'>;
  /** The folder of a stored session. */
  readonly folderOf: (sessionId: string) => Promise<string | undefined>;
}

/** The operator's limits, where there are any. */
export interface SessionLimits {
  readonly config: LimitConfig;
  /** The TMPDIR of Codex, which commands may write to; undefined: it gets none. */
  readonly tmpdir: string | undefined;
  /** Throws if this Codex would apply rules that a session may have written. */
  readonly refuseRules: (cwd: string, version: CodexVersion | undefined) => void;
}

/**
 * 0.150 keeps sandbox and approvals of a stored session, and the `.codex` of a working folder from being written; 0.92
 * does neither. What was between has not been looked at.
 */
const KEEPS_SETTINGS_MINOR = 150;

/** Codex waits for the MCP servers that a session cannot do without. */
export const OPEN_TIMEOUT_MS = 120_000;

interface LoadedThread {
  readonly session: OpenedSession;
  /** Its sandbox, in Codex's words. */
  readonly policy: unknown;
  readonly permissions: OpenedPermissions;
  /** Configuration with which it was opened. */
  readonly config: SessionSettings['config'];
}

/** Which stored session is opened, or none for a new one. */
type Origin = { readonly storedSessionId?: string };

/** The sessions that the running app-server holds: opened in one of three ways, and let go of when nobody needs them. */
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
    const send = (params: Members) => this.#options.client.request('thread/start', params, OPEN_TIMEOUT_MS);
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

  fork(sessionId: string, settings: SessionSettings, more: Members): Promise<OpenedSession> {
    const send = this.#sendAbout(sessionId, 'thread/fork');
    return this.#open(withEffort(settings), send, { ...more, excludeTurns: true }, { storedSessionId: sessionId });
  }

  /** What the next turn of an opened session will be allowed to do. */
  async permissions(sessionId: string, turn: TurnSettings, settings: SessionSettings): Promise<TurnPermissions> {
    const loaded = this.#loaded.get(sessionId);
    const policy = (await this.#policyOf(loaded, turn, settings)) ?? loaded?.policy;
    const opened = loaded?.permissions ?? toOpenedPermissions({}, '');
    return toTurnPermissions(opened, policy, {
      isSandboxRequested: turn.sandbox !== undefined,
      tmpdir: this.#options.limits?.tmpdir,
    });
  }

  /** Gives Codex's answer to `turn/start`. */
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
    // Codex keeps what a turn changes.
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

  /** Codex reads the rules when it opens a session, and again for agents and reviews. */
  refuseRules(sessionId: string, version: CodexVersion | undefined): void {
    const cwd = this.#loaded.get(sessionId)?.session.cwd;
    if (cwd !== undefined) this.#options.limits?.refuseRules(cwd, version);
  }

  #policyOf(loaded: LoadedThread | undefined, { sandbox }: TurnSettings, { addDirs = [], config }: SessionSettings) {
    const { client, limits } = this.#options;
    const settings = async () => {
      // Under limits the configuration of a project does not count.
      const folder = limits === undefined ? loaded?.session.cwd : undefined;
      const read = await client.request('config/read', { cwd: folder || null });
      return sandboxSettings(read['config'], loaded?.config ?? config);
    };
    return toSandboxPolicy({ current: loaded?.policy, requested: sandbox, addDirs, settings });
  }

  /** Nobody speaks to it, from now on. */
  startIdleTimer(sessionId: string): void {
    this.#idleTimers.begin(sessionId);
  }

  /** Somebody does. */
  stopIdleTimer(sessionId: string): void {
    this.#idleTimers.stop(sessionId);
  }

  /** A thread of the session, which may be one of Codex's own agents, has begun or ended something. */
  trackItem(sessionId: string, threadId: string, item: Item): void {
    this.#commands.follow(sessionId, threadId, item);
  }

  /** No command of the thread runs any more. */
  clearCommands(threadId: string): void {
    this.#commands.ended(threadId);
  }

  /** Whether a command is running in any session. */
  get hasRunningCommands(): boolean {
    return this.#commands.some;
  }

  /** Codex has closed it. */
  forget(sessionId: string): void {
    this.#loaded.delete(sessionId);
  }

  /** The app-server has ended, and holds nothing any more. */
  clear(): void {
    this.#loaded.clear();
    this.#commands.clear();
    this.#idleTimers.close();
  }

  #sendAbout(sessionId: string, method: ClientMethod): (params: Members) => Promise<Members> {
    return (params) => this.#options.client.requestForSession(sessionId, method, params, OPEN_TIMEOUT_MS);
  }

  async #open(
    settings: SessionSettings,
    send: (params: Members) => Promise<Members>,
    more: Members,
    origin: Origin,
  ): Promise<OpenedSession> {
    const { signIn, client } = this.#options;
    // Starts Codex first: a new process has to be asked for its sign-in.
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
    // Whatever becomes of it: one that gets no turn is let go of as well.
    this.#idleTimers.begin(session.sessionId);
    if (origin.storedSessionId !== undefined) await this.#assertStoredSignedIn(session, state, answer['modelProvider']);
    if (settings.name !== undefined) void this.#setName(session.sessionId, settings.name);
    return session;
  }

  /** Only Codex knows the provider of a stored session. */
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
    // A stored session has to work where the limits were made for.
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
   * One that nobody speaks to keeps its MCP servers and its lock for nothing: the next message resumes it. Codex kills the
   * commands of a session that it unloads, so one whose turn left a command running is kept until that has ended.
   */
  async #unload(sessionId: string): Promise<void> {
    const loaded = this.#loaded.get(sessionId);
    if (loaded === undefined) return;
    if (this.#commands.runIn(sessionId)) return this.#idleTimers.begin(sessionId);
    // Before Codex is asked: a message that comes meanwhile must resume it, or nothing would be heard of its turn.
    this.#loaded.delete(sessionId);
    try {
      await this.#options.client.request('thread/unsubscribe', { threadId: sessionId });
    } catch (error) {
      this.#options.log.debug(`thread/unsubscribe: ${messageOf(error)}`);
      // An old Codex knows no way to let go.
      if (isUnknownMethod(error) && !this.#loaded.has(sessionId)) this.#loaded.set(sessionId, loaded);
    }
  }
}
