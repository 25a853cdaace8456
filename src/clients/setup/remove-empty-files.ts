import { existsSync, readFileSync, rmdirSync, rmSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { authFile } from '../../auth/store/auth-store.ts';
import type { Environment } from '../../config/files/folders.ts';
import { globalSource } from '../../config/files/sources.ts';
import { openSecretStore } from '../../config/secrets/secret-store.ts';
import { readTrustStore, trustFile } from '../../config/trust/trust-store.ts';
import { openClientServers } from '../client-servers.ts';
import { clientServersFile } from '../client-servers-file.ts';
import { openConnections } from '../connect/connections.ts';
import { appFolder } from '../launcher/app-copy.ts';
import { launcherFile } from '../launcher/install-launcher.ts';
import { removeHalfWritten, removeTemporaryFiles } from './half-written.ts';
import { listSignIns } from './stored-sign-ins.ts';

/** Removes those of our files that setup created and that contain nothing after an undo. */
export function removeEmptyFiles(created: readonly string[], environment: Environment): void {
  const secrets = openSecretStore(environment);
  const connections = openConnections(environment);
  const launcher = launcherFile(environment);
  const isUnused: Readonly<Record<string, () => boolean>> = {
    [secrets.file]: () => isEmpty(secrets.readAll()),
    [clientServersFile(environment)]: () => isEmpty(openClientServers(environment).readAll()),
    [authFile(environment)]: () => existsSync(authFile(environment)) && listSignIns(environment)?.length === 0,
    [trustFile(environment)]: () => readTrustStore(trustFile(environment))?.records.length === 0,
    // Connected clients start the launcher, and so does a kept entry for Codex.
    [launcher]: () => connections.readAll().length === 0 && !isNamedInConfig(launcher, environment),
    [connections.file]: () => connections.readAll().length === 0,
  };
  for (const file of Object.keys(isUnused)) {
    if (!created.includes(file) || isUnused[file]?.() !== true) continue;
    // Also if the file is missing: a setup that was killed may have left what belongs to it.
    rmSync(file, { force: true });
    removeHalfWritten(file);
    if (file === launcher) removeLauncher(environment);
    if (file === connections.file) removeBackups(connections.backupFolder);
  }
}

function isNamedInConfig(path: string, environment: Environment): boolean {
  const { file } = globalSource(environment);
  return existsSync(file) && readFileSync(file, 'utf8').includes(JSON.stringify(path));
}

/** The copies that the launcher would run. */
function removeLauncher(environment: Environment): void {
  rmSync(appFolder(environment), { recursive: true, force: true });
  removeFolderIfEmpty(dirname(launcherFile(environment)));
}

/** Backups are removed with their connections. A setup that was killed may have left one half-written. */
function removeBackups(folder: string): void {
  removeTemporaryFiles(folder);
  removeFolderIfEmpty(folder);
}

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
