import { listVariables } from '../../config/entry/variable-uses.ts';
import type { ProfileName } from '../../schema/profiles/profile.ts';
import type { GatewayServer } from '../servers/gateway-server.ts';
import type { ServerRegistry } from '../servers/server-registry.ts';
import type { GatewayView } from '../views/gateway-view.ts';
import type { CacheFile } from './catalog-persistence.ts';
import type { ListSnapshot } from './list-snapshot.ts';
import type { ServerRecords } from './server-records.ts';

/** Saves the snapshot for the next client that sends these `initialize` params. */
export type SaveSnapshot = (list: ListSnapshot, initializeParams: unknown) => Promise<void>;

export interface SnapshotWriterOptions {
  readonly registry: ServerRegistry;
  /** Returns the view of the first client. */
  readonly view: () => GatewayView;
  readonly records: ServerRecords;
  /** Returns the current instructions about the servers. */
  readonly instructions: () => string;
  /** Returns the current capabilities of the servers. */
  readonly capabilities: () => Readonly<Record<string, unknown>>;
  /** Returns the profile of the initialized client. */
  readonly profile: () => ProfileName;
  readonly save: (list: ListSnapshot) => Promise<void>;
}

/** Saves the tool list for the next start once it is complete and has been stable for a moment. */
export interface SnapshotWriter {
  /** Schedules a save, because the list may have changed. */
  changed(): void;
  /**
   * Saves a scheduled snapshot. Call it after the catalogs were written, because the snapshot depends on their files.
   */
  close(): Promise<void>;
}

const SAVE_AFTER_MS = 1_000;

export function createSnapshotWriter(options: SnapshotWriterOptions): SnapshotWriter {
  const { registry, view, records, profile, save } = options;
  let timer: NodeJS.Timeout | undefined;

  const writeSnapshot = async () => {
    timer = undefined;
    const { config } = registry;
    const servers = view().servers();
    // A config file that cannot be used does not describe the running servers.
    if (registry.reloadProblem !== undefined || config.files.some(({ state }) => state === 'broken')) return;
    // Pins can change while no gateway is running.
    if (servers.some(({ entry }) => entry.pin)) return;
    const files = servers.map((server) => dependenciesOf(server, records));
    // A server without a catalog of its own, or with only that of its predecessor, would be missing from the list.
    // Codex requests the list once and would never see that server.
    if (!files.every((dependencies) => dependencies !== undefined)) return;
    const catalog = view().catalog(profile());
    const result = catalog.page('tools', undefined);
    // A snapshot can serve only one page.
    if (!catalog.isOnePage('tools')) return;
    const variables = [...new Set(servers.flatMap(({ entry }) => listVariables(entry)))].sort();
    try {
      await save({
        result,
        instructions: options.instructions(),
        capabilities: options.capabilities(),
        files: [...config.files, ...files.flat()],
        variables,
      });
    } catch {
      // Without the snapshot the next start is only a little slower.
    }
  };

  return {
    changed() {
      clearTimeout(timer);
      timer = setTimeout(() => void writeSnapshot(), SAVE_AFTER_MS).unref();
    },
    async close() {
      clearTimeout(timer);
      if (timer !== undefined) await writeSnapshot();
    },
  };
}

/** Returns the files that a server's part of the list depends on, or undefined if the list is not complete yet. */
function dependenciesOf(
  server: GatewayServer,
  { persistence, startFailures }: ServerRecords,
): readonly CacheFile[] | undefined {
  const known = persistence.fileOf(server);
  const failure = startFailures.fileOf(server);
  if (known !== undefined) return failure === undefined ? [known] : [known, failure];
  if (server.catalog.hasList('tools')) return undefined;
  if (failure !== undefined) return [failure];
  // The server cannot start until a variable or the config changes, and the snapshot checks both.
  return persistence.isUnresolved(server) ? [] : undefined;
}
