import { explainKeys } from '../config/entry/explain-keys.ts';
import { type ConfigFile, readConfigFile } from '../config/files/config-file.ts';
import type { Environment } from '../config/files/folders.ts';
import { readInlineConfig } from '../config/inline-config.ts';
import { loadConfig } from '../config/load-config.ts';
import { formatLocation } from '../config/problem.ts';
import { selectServers } from '../config/select-servers.ts';
import type { ConfiguredServer, LoadedConfig } from '../config/server-entry.ts';
import type { ServerDetail } from '../control/status/running-status.ts';
import type { HostOptions } from './host-options.ts';
import type { HostLog } from './status/host-log.ts';

export interface HostConfig {
  readonly config: LoadedConfig;
  /** Returns the settings of a server's config entry, secrets masked. Reads the file on every call. */
  readonly settingsOf: (server: ConfiguredServer) => ServerDetail['settings'];
}

/** What most parts of a host need. */
export interface HostContext extends HostConfig {
  readonly environment: Environment;
  /** The options of the application. */
  readonly application: HostOptions;
  readonly log: HostLog;
  readonly isSigningIn: (serverId: string) => boolean;
}

/** Reads the config from the default files, from one file, or from the object that the application passes. */
export async function readHostConfig(
  { config, only = [] }: HostOptions,
  environment: Environment,
): Promise<HostConfig> {
  if (typeof config === 'object') {
    const { config: inline, file } = readInlineConfig(config, environment);
    return { config: selectServers(inline, only), settingsOf: ({ id }) => settings(file, id, () => 'config') };
  }
  const named = config === undefined ? {} : { explicitFiles: [config], explicitBy: 'the option config' };
  return { config: await loadConfig({ ...environment, ...named, only }), settingsOf };
}

/** Returns the settings as the file has them now. */
function settingsOf({ id, origin }: ConfiguredServer): ServerDetail['settings'] {
  const { layer, file } = origin;
  if (layer === 'command-line') return [];
  const isOwn = layer === 'project' || layer === 'global';
  const read = readConfigFile({ layer, file, isSwitchboardFile: isOwn, needsTrust: false, namedBy: undefined });
  return read === undefined ? [] : settings(read, id, (line) => formatLocation(file, line));
}

function settings(file: ConfigFile, id: string, placeOf: (line: number) => string): ServerDetail['settings'] {
  const entry = file.entries.find((one) => one.id === id);
  if (entry === undefined) return [];
  return explainKeys(file, entry).values.map(({ key, shown, line }) => ({ key, value: shown, place: placeOf(line) }));
}
