import { AppError, isAppError, messageOf } from '../../../base/errors.ts';
import type { JsonObject } from '../../../wire/messages.ts';
import type { LimitConfig, OpenedSession, SessionSettings } from '../../engine.ts';
import { type CodexVersion, isAtLeast } from '../../locate/codex-version.ts';
import { realPathOf } from '../../real-folder.ts';
import { mergeConfig } from '../../settings/merge-config.ts';
import type { AppServerClient } from './client.ts';
import type { AppServerConnection } from './connection.ts';
import { McpServerEnv } from './mcp-server-env.ts';
import { isUnknownMethod } from './protocol/failures.ts';
import { startParams, threadParams, toOpened, withEffort } from './protocol/params.ts';
import { type OpenedPermissions, toOpenedPermissions } from './protocol/permissions.ts';
import type { SignIn } from './sign-in.ts';

export interface ThreadOpenerOptions {
  readonly client: AppServerClient;
  readonly signIn: Pick<SignIn, 'state' | 'assertSignedIn'>;
  readonly limits: SessionLimits | undefined;
  /** Returns the folder of a stored session. */
  readonly folderOf: (sessionId: string) => Promise<string | undefined>;
  readonly warn: (sessionId: string, message: string) => void;
  readonly log: { debug(text: string): void };
}

/** The operator's limits, if there are any. */
export interface SessionLimits {
  readonly config: LimitConfig;
  /** The TMPDIR of Codex, which commands may write to. If undefined, Codex gets none. */
  readonly tmpdir: string | undefined;
  /** Throws if this Codex would apply rules that a session may have written. */
  readonly refuseRules: (cwd: string, version: CodexVersion | undefined) => void;
}

/** A session as Codex has opened it. */
export interface OpenedThread {
  readonly session: OpenedSession;
  /** The sandbox policy, in Codex's format. */
  readonly policy: unknown;
  readonly permissions: OpenedPermissions;
  /** The configuration that the session was opened with. */
  readonly config: SessionSettings['config'];
}

/** Sends one of the three requests that open a session. */
interface OpenRequest {
  readonly settings: SessionSettings;
  /** The stored session to open, or undefined for a new one. */
  readonly storedSessionId?: string;
  send(params: JsonObject): Promise<JsonObject>;
}

/** Codex waits for the MCP servers that a session requires. */
export const OPEN_TIMEOUT_MS = 120_000;

/**
 * 0.150 keeps sandbox and approval policy of a stored session, and protects the `.codex` of a working folder from
 * writes; 0.92 does neither. The versions between are untested.
 */
const KEEPS_SETTINGS_MINOR = 150;

function keepsSettings(version: CodexVersion | undefined): boolean {
  return version === undefined || isAtLeast(version, KEEPS_SETTINGS_MINOR);
}

/** Starts, resumes and forks sessions, within the operator's limits and only if the user is signed in. */
export class ThreadOpener {
  readonly #options: ThreadOpenerOptions;
  readonly #mcpServerEnv: McpServerEnv;

  constructor(options: ThreadOpenerOptions) {
    this.#options = options;
    this.#mcpServerEnv = new McpServerEnv({ readsProjects: options.limits === undefined });
  }

  async start(settings: SessionSettings): Promise<OpenedThread> {
    const { client } = this.#options;
    const fixed = startParams(settings);
    const send = (params: JsonObject) => client.request('thread/start', { ...params, ...fixed }, OPEN_TIMEOUT_MS);
    try {
      return await this.#open({ settings, send });
    } catch (error) {
      if (!isAppError(error) || error.code !== 'REQUEST_FAILED') throw error;
      throw new AppError('REQUEST_FAILED', `Codex refused to start the session: ${error.message}`, { cause: error });
    }
  }

  resume(sessionId: string, { name: _, ...settings }: SessionSettings): Promise<OpenedThread> {
    return this.#openStored(sessionId, 'thread/resume', settings, {});
  }

  fork(sessionId: string, settings: SessionSettings, more: JsonObject): Promise<OpenedThread> {
    return this.#openStored(sessionId, 'thread/fork', settings, more);
  }

  #openStored(
    sessionId: string,
    method: 'thread/resume' | 'thread/fork',
    settings: SessionSettings,
    more: JsonObject,
  ): Promise<OpenedThread> {
    const { client } = this.#options;
    return this.#open({
      settings: withEffort(settings),
      storedSessionId: sessionId,
      send: (params) =>
        client.requestForSession(sessionId, method, { ...params, ...more, excludeTurns: true }, OPEN_TIMEOUT_MS),
    });
  }

  async #open({ settings, storedSessionId, send }: OpenRequest): Promise<OpenedThread> {
    const { signIn, client } = this.#options;
    // Starts Codex first: only a running process can report its sign-in.
    await client.connect();
    const state = await signIn.state();
    const { cwd, config = {} } = settings;
    if (storedSessionId === undefined) await signIn.assertSignedIn(state, { cwd, config });
    const connection = await client.connect();
    const limitedSettings = await this.#withLimits(settings, connection, storedSessionId);
    const answer = await this.#mcpServerEnv.openWithEnv(connection, limitedSettings, (withEnv) =>
      send(threadParams(withEnv, connection.version)),
    );
    const session = { ...toOpened(answer), ...(keepsSettings(connection.version) ? {} : { forgetsPolicy: true }) };
    // Only Codex knows the provider of a stored session.
    const stored = { cwd: session.cwd, config: { model_provider: answer['modelProvider'] } };
    if (storedSessionId !== undefined)
      await signIn.assertSignedIn(state, stored).catch((error) => this.#closeAndThrow(session.sessionId, error));
    if (settings.name !== undefined) void this.#setName(session.sessionId, settings.name);
    return {
      session,
      policy: answer['sandbox'],
      permissions: toOpenedPermissions(answer, session.cwd),
      config: limitedSettings.config,
    };
  }

  async #withLimits(
    settings: SessionSettings,
    { version }: AppServerConnection,
    storedSessionId: string | undefined,
  ): Promise<SessionSettings> {
    const { limits, folderOf } = this.#options;
    if (limits === undefined) return settings;
    const named = settings.cwd ?? (storedSessionId === undefined ? undefined : await folderOf(storedSessionId));
    if (named === undefined) throw new AppError('DENIED', 'Codex did not report the folder of this session.');
    const cwd = realPathOf(named);
    const isRecent = keepsSettings(version);
    const config = await limits.config({
      cwd,
      settings,
      readsPolicyFromConfig: storedSessionId === undefined || !isRecent,
      protectsProjectConfig: version !== undefined && isRecent,
      version,
    });
    // A stored session has to work in the folder that the limits were created for.
    return { ...settings, cwd, config: mergeConfig(settings.config ?? {}, config) };
  }

  /** Closes a session that may not be used. */
  async #closeAndThrow(sessionId: string, error: unknown): Promise<never> {
    const { client, log } = this.#options;
    await client
      .request('thread/unsubscribe', { threadId: sessionId })
      .catch((problem) => log.debug(`thread/unsubscribe: ${messageOf(problem)}`));
    throw error;
  }

  async #setName(sessionId: string, name: string): Promise<void> {
    try {
      await this.#options.client.request('thread/name/set', { threadId: sessionId, name });
    } catch (error) {
      const reason = isUnknownMethod(error) ? 'this Codex cannot name sessions.' : messageOf(error);
      this.#options.warn(sessionId, `The session could not be named: ${reason}`);
    }
  }
}
