import { listVariables } from '../../config/entry/variable-uses.ts';
import type { LoadedConfig } from '../../config/server-entry.ts';
import type { ProfileName } from '../../schema/profiles/profile.ts';
import type { ProfileCatalogs } from '../catalog/profile-catalogs.ts';
import type { GatewayServer } from '../servers/gateway-server.ts';
import type { ServerRegistry } from '../servers/server-registry.ts';
import type { CacheFile, CatalogPersistence } from './catalog-persistence.ts';
import type { ListSnapshot } from './list-snapshot.ts';
import type { StartFailures } from './start-failures.ts';

/** Keeps the list for the next start of a client that says this hello. */
export type SaveSnapshot = (list: ListSnapshot, initializeParams: unknown) => Promise<void>;

export interface SnapshotWriterOptions {
  readonly registry: ServerRegistry;
  readonly catalogs: ProfileCatalogs;
  readonly persistence: Pick<CatalogPersistence, 'fileOf' | 'isUnresolved'>;
  readonly failures: Pick<StartFailures, 'fileOf'>;
  /** What a client is told of the servers, as it is now. */
  readonly instructions: () => string;
  /** As it is now. */
  readonly config: () => LoadedConfig;
  /** Of the client that said hello. */
  readonly profile: () => ProfileName;
  readonly save: (list: ListSnapshot) => Promise<void>;
}

/** Keeps the list of tools for the next start, when it is whole and has been the same for a moment. */
export interface SnapshotWriter {
  /** The list may be another one now. */
  changed(): void;
  /** Resolves when it is kept. To be called after the catalogs were kept: the list is made from those. */
  close(): Promise<void>;
}

const SAVE_AFTER_MS = 1_000;

export function createSnapshotWriter(options: SnapshotWriterOptions): SnapshotWriter {
  const { registry, catalogs, config, profile, save, instructions } = options;
  let timer: NodeJS.Timeout | undefined;

  const writeSnapshot = async () => {
    timer = undefined;
    const { servers } = registry;
    // What a person trusts can change while nobody looks, and a broken file says nothing of what is running.
    if (servers.some(({ entry }) => entry.pin) || config().files.some(({ state }) => state === 'broken')) return;
    const files = servers.map((server) => dependenciesOf(server, options));
    // One that is not known, or only by what its predecessor offered, would be missing from the list, and Codex, which
    // asks for it once, would never see it.
    if (!files.every((dependencies) => dependencies !== undefined)) return;
    const catalog = catalogs.forProfile(profile());
    const result = catalog.page('tools', undefined);
    // The other pages of a list could not be given.
    if (!catalog.isOnePage('tools')) return;
    const variables = [...new Set(servers.flatMap(({ entry }) => listVariables(entry)))].sort();
    try {
      await save({ result, instructions: instructions(), files: [...config().files, ...files.flat()], variables });
    } catch {
      // The next start is a little slower, and nothing else: this is no reason to fail.
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

/** The files that decide what a member adds to the list; undefined while the list would not be whole without it. */
function dependenciesOf(
  server: GatewayServer,
  { persistence, failures }: SnapshotWriterOptions,
): readonly CacheFile[] | undefined {
  const known = persistence.fileOf(server);
  const failure = failures.fileOf(server);
  if (known !== undefined) return failure === undefined ? [known] : [known, failure];
  if (server.catalog.hasList('tools')) return undefined;
  if (failure !== undefined) return [failure];
  // It cannot be started before a variable or the config is another one, and both are looked at.
  return persistence.isUnresolved(server) ? [] : undefined;
}
