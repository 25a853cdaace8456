import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { loadTls } from '../../src/serve/access/address/load-tls.ts';
import { useTemporaryHomes } from '../temporary-folder.ts';
import { certify, hasOpenssl } from './certificates.ts';

const newHome = useTemporaryHomes();

describe.skipIf(!hasOpenssl)('the files of TLS', () => {
  test('are read relative to the working folder, with a warning if others can read the key', () => {
    const environment = newHome();
    const { key } = certify(environment.home, 'a');
    const paths = { cert: 'a-cert.pem', key: '~/a-key.pem' };
    expect(loadTls(paths, environment)).toEqual({ cert: expect.any(Buffer), key: expect.any(Buffer), warnings: [] });
    chmodSync(key, 0o644);
    expect(loadTls(paths, environment).warnings).toEqual([
      `Other users can access the private key ${key} (644). Run: chmod 600 ${key}`,
    ]);
  });

  test('that do not belong together are refused', () => {
    const environment = newHome();
    const [a, b] = [certify(environment.home, 'a'), certify(environment.home, 'b')];
    expect(() => loadTls({ cert: a.cert, key: b.key }, environment)).toThrow(
      expect.objectContaining({
        code: 'CONFIG_INVALID',
        message: `The certificate and the key do not belong together: ${a.cert} and ${b.key}. Name the key that the certificate was issued for.`,
      }),
    );
  });

  test('with an encrypted key are refused, with the command that decrypts it', () => {
    const environment = newHome();
    const files = certify(environment.home, 'a', '-passout', 'pass:secret');
    expect(() => loadTls(files, environment)).toThrow(
      `--tls-key: ${files.key} is encrypted. Decrypt it into a file that only you can read: openssl pkey -in ${files.key} -out <file>`,
    );
  });

  test('that are missing, exchanged or not PEM are refused, with the option to correct', () => {
    const environment = newHome();
    const { cert, key } = certify(environment.home, 'a');
    const bad = join(environment.home, 'bad.pem');
    writeFileSync(bad, '-----BEGIN CERTIFICATE-----\nnonsense\n-----END CERTIFICATE-----\n');
    const load = (paths: Partial<{ readonly cert: string; readonly key: string }>) => () =>
      loadTls({ cert, key, ...paths }, environment);
    expect(load({ cert: 'gone.pem' })).toThrow(`--tls-cert: there is no file ${environment.home}/gone.pem`);
    expect(load({ key: 'gone.pem' })).toThrow(`--tls-key: there is no file ${environment.home}/gone.pem`);
    expect(load({ cert: key })).toThrow(`--tls-cert: ${key} contains no certificate in PEM format.`);
    expect(load({ key: cert })).toThrow(`--tls-key: ${cert} contains no private key in PEM format.`);
    expect(load({ cert: bad })).toThrow(/cannot be used for TLS: .*Check both files\.$/);
    expect(load({ key: '.' })).toThrow('This is a folder, but a file is expected.');
  });
});
