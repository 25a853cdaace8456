import { join } from 'node:path';
import { VERSION } from '../../base/version.ts';
import { cacheFolder, type Surroundings } from '../../config/files/folders.ts';
import { findSources } from '../../config/files/sources.ts';
import type { PreparedPlace } from '../../gateway/cache/list-snapshot.ts';
import { isObject } from '../../wire/messages.ts';
import type { GatewayOptions } from './options.ts';

/**
 * Where the list of tools of this command line for this client is kept from run to run. Whatever decides what is listed,
 * and is not a file or a variable of an entry, must be in the conditions.
 */
export function preparedPlace(options: GatewayOptions, surroundings: Surroundings, hello: unknown): PreparedPlace {
  const { cwd, home, env } = surroundings;
  const { only, hasPrefix, profile, config } = options;
  const { clientInfo, capabilities } = isObject(hello) ? hello : {};
  const { name, version } = isObject(clientInfo) ? clientInfo : {};
  return {
    folder: join(cacheFolder(surroundings), 'lists'),
    conditions: {
      switchboard: VERSION,
      files: findSources(surroundings, config).map(({ file }) => file),
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
