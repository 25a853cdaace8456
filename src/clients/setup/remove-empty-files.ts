import { existsSync, readdirSync, readFileSync, rmdirSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { authFile } from '../../auth/store/auth-store.ts';
import type { Environment } from '../../config/files/folders.ts';
import { openSecretStore } from '../../config/secrets/secret-store.ts';
import { readTrustStore, trustFile } from '../../config/trust/trust-store.ts';
import { isObject } from '../../wire/messages.ts';
import { openClientServers } from '../client-servers.ts';
import { clientServersFile } from '../client-servers-file.ts';
import { openConnections } from '../connect/connections.ts';
import { appFolder } from '../launcher/app-copy.ts';
import { launcherFile } from '../launcher/install-launcher.ts';

/** Removes those of our files that setup created and that contain nothing after an undo. */
export function removeEmptyFiles(created: readonly string[], environment: Environment): void {
  const secrets = openSecretStore(environment);
  const connections = openConnections(environment);
  const launcher = launcherFile(environment);
  const isUnused: Readonly<Record<string, () => boolean>> = {
    [secrets.file]: () => isEmpty(secrets.readAll()),
    [clientServersFile(environment)]: () => isEmpty(openClientServers(environment).readAll()),
    [authFile(environment)]: () => isEmpty(storedSignIns(environment)),
    [trustFile(environment)]: () => readTrustStore(trustFile(environment))?.records.length === 0,
    // Connected clients start the launcher.
    [launcher]: () => connections.readAll().length === 0,
    [connections.file]: () => connections.readAll().length === 0,
  };
  for (const file of Object.keys(isUnused)) {
    if (!created.includes(file) || !existsSync(file) || isUnused[file]?.() !== true) continue;
    rmSync(file, { force: true });
    if (file === launcher) removeLauncher(environment);
    if (file === connections.file) removeBackups(connections.backupFolder);
  }
}

/** A file that cannot be read is not empty. */
function storedSignIns(environment: Environment): object {
  const content: unknown = JSON.parse(readFileSync(authFile(environment), 'utf8'));
  const servers = isObject(content) ? content['servers'] : undefined;
  return isObject(servers) ? servers : { unknown: true };
}

/** The copies that the launcher would run. */
function removeLauncher(environment: Environment): void {
  rmSync(appFolder(environment), { recursive: true, force: true });
  removeFolderIfEmpty(dirname(launcherFile(environment)));
}

/** Backups are removed with their connections. A setup that was killed may have left one half-written. */
function removeBackups(folder: string): void {
  const names = existsSync(folder) ? readdirSync(folder) : [];
  for (const name of names.filter((one) => HALF_WRITTEN.test(one))) rmSync(join(folder, name), { force: true });
  removeFolderIfEmpty(folder);
}

/** `<file>.<random>.tmp`, which replaces the file when it is complete. */
const HALF_WRITTEN = /\.[0-9a-f]{12}\.tmp$/;

/** Removes the folder of a config file if it is ours and empty. */
export function removeConfigFolder(file: string): void {
  const folder = dirname(file);
  if (basename(folder) === 'switchboard') removeFolderIfEmpty(folder);
}

function removeFolderIfEmpty(folder: string): void {
  try {
    rmdirSync(folder);
  } catch {
    // It does not exist, or something else uses it.
  }
}

function isEmpty(members: object): boolean {
  return Object.keys(members).length === 0;
}
