import { type Stats, statSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import { AppError, messageOf } from '../../../base/errors.ts';
import { quoteForShell } from '../../../base/text/shell-quote.ts';
import { escapeInvisible } from '../../../base/text/visible-text.ts';
import { type Environment, resolvePath } from '../../../config/files/folders.ts';
import { readSmallFile } from '../../../config/files/small-file.ts';
import type { TlsPaths } from './plan-http.ts';

/** The options of `node:https` for a certificate. */
export interface TlsFiles {
  readonly cert: Buffer;
  readonly key: Buffer;
  /** Sentences to display. */
  readonly warnings: readonly string[];
}

/** Reads the certificate and its key, and checks that they belong together. Throws `CONFIG_INVALID`. */
export function loadTls(paths: TlsPaths, environment: Environment): TlsFiles {
  const certFile = resolvePath(paths.cert, environment);
  const keyFile = resolvePath(paths.key, environment);
  const cert = readPem(certFile, {
    option: '--tls-cert',
    label: /-----BEGIN CERTIFICATE-----/,
    content: 'certificate',
  });
  const key = readPem(keyFile, {
    option: '--tls-key',
    label: /-----BEGIN [A-Z ]*PRIVATE KEY-----/,
    content: 'private key',
  });
  if (ENCRYPTED.test(key.toString('latin1')))
    throw new AppError(
      'CONFIG_INVALID',
      `--tls-key: ${escapeInvisible(keyFile)} is encrypted. Decrypt it into a file that only you can read: openssl pkey -in ${quoteForShell(keyFile)} -out <file>`,
    );
  try {
    createSecureContext({ cert, key });
  } catch (error) {
    throw unusable(certFile, keyFile, error);
  }
  return { cert, key, warnings: environment.platform === 'win32' ? [] : keyWarnings(keyFile) };
}

/** The two forms of an encrypted key. */
const ENCRYPTED = /-----BEGIN ENCRYPTED PRIVATE KEY-----|^Proc-Type: 4,ENCRYPTED/m;

interface PemKind {
  readonly option: string;
  readonly label: RegExp;
  readonly content: string;
}

function readPem(file: string, { option, label, content }: PemKind): Buffer {
  const read = readSmallFile(file);
  if (read === undefined)
    throw new AppError('CONFIG_INVALID', `${option}: there is no file ${escapeInvisible(file)}. Check the path.`);
  if (label.test(read.bytes.toString('latin1'))) return read.bytes;
  throw new AppError(
    'CONFIG_INVALID',
    `${option}: ${escapeInvisible(file)} contains no ${content} in PEM format. Name a file with a line -----BEGIN … ${content.toUpperCase()}-----.`,
  );
}

/** The text of OpenSSL's errors contains nothing of the key. */
function unusable(certFile: string, keyFile: string, error: unknown): AppError {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  const files = `${escapeInvisible(certFile)} and ${escapeInvisible(keyFile)}`;
  const fail = (message: string) => new AppError('CONFIG_INVALID', message, { cause: error });
  if (code === 'ERR_OSSL_X509_KEY_VALUES_MISMATCH')
    return fail(
      `The certificate and the key do not belong together: ${files}. Name the key that the certificate was issued for.`,
    );
  return fail(`${files} cannot be used for TLS: ${messageOf(error)}. Check both files.`);
}

const GROUP_AND_OTHERS = 0o077;

function keyWarnings(keyFile: string): readonly string[] {
  const stats: Stats | undefined = statSync(keyFile, { throwIfNoEntry: false });
  if (stats === undefined || (stats.mode & GROUP_AND_OTHERS) === 0) return [];
  const mode = (stats.mode & 0o777).toString(8);
  return [
    `Other users can access the private key ${escapeInvisible(keyFile)} (${mode}). Run: chmod 600 ${quoteForShell(keyFile)}`,
  ];
}
