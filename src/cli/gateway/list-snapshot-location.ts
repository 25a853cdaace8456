import { join } from 'node:path';
import { readFileSignature } from '../../base/files/file-signature.ts';
import { VERSION } from '../../base/version.ts';
import { clientServersFile } from '../../clients/client-servers-file.ts';
import { cacheFolder, type Environment } from '../../config/files/folders.ts';
import { findSources } from '../../config/files/sources.ts';
import type { SnapshotLocation } from '../../gateway/cache/list-snapshot.ts';
import { isObject } from '../../wire/messages.ts';
import type { GatewayOptions } from './options.ts';

/**
 * Returns the location of the tool-list snapshot for this command line and client. The conditions must include
 * everything that affects the list and is neither a file nor a variable of an entry.
 */
export function listSnapshotLocation(
  options: GatewayOptions,
  environment: Environment,
  initializeParams: unknown,
): SnapshotLocation {
  const { cwd, home, env } = environment;
  const { only, hasPrefix, profile, config, client, view } = options;
  const { clientInfo, capabilities } = isObject(initializeParams) ? initializeParams : {};
  const { name, version } = isObject(clientInfo) ? clientInfo : {};
  return {
    folder: join(cacheFolder(environment), 'lists'),
    conditions: {
      switchboard: VERSION,
      files: findSources(environment, config).map(({ file }) => file),
      // A server without `cwd` runs in this folder, and may offer other tools elsewhere.
      cwd,
      home,
      only: [only, env['MCP_WRAPPER_SERVER_NAME']],
      trust: env['SWITCHBOARD_TRUST_PROJECT'],
      // What the client sees. The files define the views.
      view: [view, client === undefined ? undefined : [client, readFileSignature(clientServersFile(environment))]],
      hasPrefix,
      profile,
      client: [name, version, capabilities],
    },
    env,
  };
}
