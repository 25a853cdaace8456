import { isAppError } from '../../../base/errors.ts';
import { MARK_VARIABLE } from '../../../base/process/mark.ts';
import { DEPTH_VARIABLE } from '../../../config/resolve/launch-depth.ts';
import { isObject } from '../../../wire/messages.ts';
import type { SessionSettings } from '../../engine.ts';
import { mergeConfig } from '../../settings/merge-config.ts';
import type { AppServerConnection } from './connection.ts';

/** So many folders are remembered. */
const MAX_FOLDERS = 100;
/** Sessions that start together share one answer. */
const FRESH_MS = 5_000;

/**
 * Variables for every MCP server that Codex will start for a session. Codex hands its servers a few variables only, and
 * ours are not among them: without the mark a server that ignores the end of its stdin would outlive a Codex that was
 * killed, and without the depth a switchboard among them would not know that it runs inside another.
 *
 * Which servers there are is asked once for a folder, and again behind each session's back: to ask before would make
 * every start wait. A server that was added meanwhile has no variables in one session; one that was taken away makes
 * Codex refuse, and then it is asked first.
 */
export class McpServerEnv {
  readonly #readsProjects: boolean;
  readonly #names = new Map<string, { readonly names: readonly string[]; readonly askedAt: number }>();

  /** @param readsProjects Sessions get the servers of a project's own configuration as well. */
  constructor({ readsProjects }: { readonly readsProjects: boolean }) {
    this.#readsProjects = readsProjects;
  }

  /** Calls `open` with the settings and the variables in them. */
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
      const isOld = known !== undefined && performance.now() - known.askedAt > FRESH_MS;
      if (isOld) void this.#loadNames(connection, folder).catch(() => undefined);
      return result;
    } catch (error) {
      if (known === undefined || !isMissingServerError(error)) throw error;
      return open(withServerEnv(connection, settings, await this.#loadNames(connection, folder)));
    }
  }

  /** An old Codex may not tell: then nobody is marked. */
  async #loadNames(connection: AppServerConnection, folder: string): Promise<readonly string[]> {
    const { config } = await connection
      .request('config/read', { cwd: folder === '' ? null : folder })
      .catch(() => ({ config: {} }));
    const names = stdioServerNames(isObject(config) ? config['mcp_servers'] : undefined);
    this.#names.set(folder, { names, askedAt: performance.now() });
    const [oldest] = this.#names.keys();
    if (this.#names.size > MAX_FOLDERS && oldest !== undefined) this.#names.delete(oldest);
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

/** Those that are programs; the others are addresses. */
function stdioServerNames(servers: unknown): readonly string[] {
  if (!isObject(servers)) return [];
  return Object.entries(servers)
    .filter(([, server]) => isObject(server) && typeof server['command'] === 'string')
    .map(([name]) => name);
}

/** Variables alone make no server: Codex refuses an entry without a command. */
function isMissingServerError(error: unknown): boolean {
  return isAppError(error) && error.code === 'REQUEST_FAILED' && /invalid transport/i.test(error.message);
}
