import { spawnSync } from 'node:child_process';
import { chmodSync } from 'node:fs';
import { join } from 'node:path';

export const hasOpenssl = spawnSync('openssl', ['version']).status === 0;

/** Creates a certificate for localhost and its key in the folder. It replaces one of the same name. */
export function certify(folder: string, name: string, ...encryption: readonly string[]) {
  const [cert, key] = [join(folder, `${name}-cert.pem`), join(folder, `${name}-key.pem`)];
  const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-days', '1', '-subj', '/CN=localhost'];
  const names = ['-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1'];
  const how = encryption.length === 0 ? ['-nodes'] : encryption;
  spawnSync('openssl', ['req', '-x509', ...kind, ...names, ...how, '-keyout', key, '-out', cert]);
  chmodSync(key, 0o600);
  return { cert, key };
}
