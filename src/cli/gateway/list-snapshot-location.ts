import { join } from 'node:path';
import { VERSION } from '../../base/version.ts';
import { cacheFolder, type Environment } from '../../config/files/folders.ts';
import { findSources } from '../../config/files/sources.ts';
import type { SnapshotLocation } from '../../gateway/cache/list-snapshot.ts';
import { isObject } from '../../wire/messages.ts';
import type { GatewayOptions } from './options.ts';

/**
 * Where the list of tools of this command line for this client is kept from run to run. Whatever decides what is listed,
 * and is not a file or a variable of an entry, must be in the conditions.
 */
export function listSnapshotLocation(
  options: GatewayOptions,
  environment: Environment,
  initializeParams: unknown,
): SnapshotLocation {
  const { cwd, home, env } = environment;
  const { only, hasPrefix, profile, config } = options;
  const { clientInfo, capabilities } = isObject(initializeParams) ? initializeParams : {};
  const { name, version } = isObject(clientInfo) ? clientInfo : {};
  return {
    folder: join(cacheFolder(environment), 'lists'),
    conditions: {
      switchboard: VERSION,
      files: findSources(environment, config).map(({ file }) => file),
      // A server that does not say where it runs runs here, and may offer other things elsewhere.
      cwd,
      home,
      only: [only, env['MCP_WRAPPER_SERVER_NAME']],
      trust: env['SWITCHBOARD_TRUST_PROJECT'],
      hasPrefix,
      profile,
      client: [name, version, capabilities],
    },
    env,
  };
}
