import { openAuthStore } from '../../../auth/store/auth-store.ts';
import { openClientServers } from '../../../clients/client-servers.ts';
import { openConnections } from '../../../clients/connect/connections.ts';
import type { Environment } from '../../../config/files/folders.ts';
import { formatLocation, toProblem } from '../../../config/problem.ts';
import { openSecretStore } from '../../../config/secrets/secret-store.ts';
import { openPinStore } from '../../../config/trust/pin-store.ts';
import { readTrustStore, trustFile } from '../../../config/trust/trust-store.ts';
import { openTokenStore } from '../../../serve/access/token-store.ts';
import type { Finding } from '../finding.ts';

/** Checks that Switchboard's own files can be read. One that is damaged or newer is never overwritten. */
export function checkStores(environment: Environment): readonly Finding[] {
  const readers: readonly (() => unknown)[] = [
    () => readTrustStore(trustFile(environment)),
    () => openPinStore(environment).read('', ''),
    () => openSecretStore(environment).readAll(),
    () => openClientServers(environment).readAll(),
    () => openConnections(environment).readAll(),
    () => openAuthStore(environment).read('', ''),
    () => openTokenStore(environment).readAll(),
  ];
  return readers.flatMap((read) => {
    try {
      read();
      return [];
    } catch (error) {
      const { file, line, message } = toProblem(error);
      return [
        {
          check: 'config.store',
          title: `${formatLocation(file, line)} cannot be used`,
          state: 'failure',
          code: 'CONFIG_INVALID',
          detail: [message],
        },
      ];
    }
  });
}
