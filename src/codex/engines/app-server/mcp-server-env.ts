import { MARK_VARIABLE } from '../../../base/process/mark.ts';
import { setBounded } from '../../../base/set-bounded.ts';
import { DEPTH_VARIABLE } from '../../../config/resolve/launch-depth.ts';
import { isObject } from '../../../wire/messages.ts';
import type { SessionSettings } from '../../engine.ts';
import { mergeConfig } from '../../settings/merge-config.ts';
import type { AppServerConnection } from './connection.ts';
import { isMissingServer } from './protocol/failures.ts';

/** The maximum number of folders to cache. */
const MAX_FOLDERS = 100;
/** Sessions that start within this time share one response. */
const FRESH_MS = 5_000;

/**
 * Adds variables to every MCP server that Codex starts for a session. Codex passes only a few variables to its servers,
 * and Switchboard's are not among them. Without the mark, a server that ignores the end of its stdin would outlive a
 * Codex that was killed. Without the depth, a Switchboard among the servers could not detect that it runs inside
 * another.
 *
 * The server names of a folder are read once before its first session, and refreshed in the background after later
 * sessions: reading them before each session would delay every start. A server that was added meanwhile gets no
 * variables in one session. A server that was removed makes Codex refuse the session; the names are then read again
 * before a second attempt.
 */
export class McpServerEnv {
  readonly #readsProjects: boolean;
  readonly #names = new Map<string, { readonly names: readonly string[]; readonly requestedAt: number }>();

  /** @param readsProjects Whether sessions also get the servers of a project's own configuration. */
  constructor({ readsProjects }: { readonly readsProjects: boolean }) {
    this.#readsProjects = readsProjects;
  }

  /** Calls `open` with settings that include the variables. */
  async openWithEnv<Result>(
    connection: AppServerConnection,
    settings: SessionSettings,
    open: (settings: SessionSettings) => Promise<Result>,
  ): Promise<Result> {
    const folder = this.#readsProjects ? (settings.cwd ?? '') : '';
    const known = this.#names.get(folder);
    try {
      const result = await open(
        withServerEnv(connection, settings, known?.names ?? (await this.#loadNames(connection, folder))),
      );
      const isOld = known !== undefined && performance.now() - known.requestedAt > FRESH_MS;
      if (isOld) void this.#loadNames(connection, folder).catch(() => undefined);
      return result;
    } catch (error) {
      if (known === undefined || !isMissingServer(error)) throw error;
      return open(withServerEnv(connection, settings, await this.#loadNames(connection, folder)));
    }
  }

  /** Returns no names for an old Codex that does not support the request: its servers then get no variables. */
  async #loadNames(connection: AppServerConnection, folder: string): Promise<readonly string[]> {
    const { config } = await connection
      .request('config/read', { cwd: folder === '' ? null : folder })
      .catch(() => ({ config: {} }));
    const names = stdioServerNames(isObject(config) ? config['mcp_servers'] : undefined);
    setBounded(this.#names, folder, { names, requestedAt: performance.now() }, MAX_FOLDERS);
    return names;
  }
}

function withServerEnv(
  connection: AppServerConnection,
  settings: SessionSettings,
  configured: readonly string[],
): SessionSettings {
  const names = [...configured, ...stdioServerNames(settings.config?.['mcp_servers'])];
  if (names.length === 0) return settings;
  const env = { [MARK_VARIABLE]: connection.mark, [DEPTH_VARIABLE]: String(connection.depth) };
  const marks = { mcp_servers: Object.fromEntries(names.map((name) => [name, { env }])) };
  return { ...settings, config: mergeConfig(settings.config ?? {}, marks) };
}

/** Returns the servers that are programs. The others have a URL. */
function stdioServerNames(servers: unknown): readonly string[] {
  if (!isObject(servers)) return [];
  return Object.entries(servers)
    .filter(([, server]) => isObject(server) && typeof server['command'] === 'string')
    .map(([name]) => name);
}
