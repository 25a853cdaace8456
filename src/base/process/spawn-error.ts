import { access, constants, stat } from 'node:fs/promises';
import { delimiter, isAbsolute, resolve } from 'node:path';
import { AppError, messageOf } from '../errors.ts';
import { errnoOf } from '../files/errno.ts';
import type { SpawnOptions } from './spawn.ts';

/**
 * Explains why a program could not be started. The system reports ENOENT for a missing command, a missing working
 * folder and a missing interpreter alike, so this function checks the file system to find out which of them it was.
 * Arguments and environment values may be secrets and never appear in the error.
 */
export async function toSpawnError(error: unknown, options: SpawnOptions): Promise<AppError> {
  const errno = errnoOf(error);
  // Node attaches the arguments to the error, and the error becomes our cause.
  if (error instanceof Error) Reflect.deleteProperty(error, 'spawnargs');
  const message = (await describeCwdProblem(options)) ?? (await describeCommandProblem(errno, options));
  return spawnError(message ?? `Spawn error: ${options.command}: ${messageOf(error)}`, options, {
    errno,
    cause: error,
  });
}

/** Throws on options that the system would refuse with an obscure error, or would silently misread. */
export function assertSpawnable(options: SpawnOptions): void {
  const { command, args = [], env, cwd } = options;
  if (command.trim() === '') throw spawnError('Spawn error: the command is empty. Give the program to start', options);
  if (command.includes('\0')) throw spawnError('Spawn error: the command contains a NUL byte', options);
  if (cwd?.includes('\0')) throw spawnError('Spawn error: the working folder contains a NUL byte', options);
  const badArgument = args.findIndex((arg) => arg.includes('\0'));
  if (badArgument !== -1) throw spawnError(`Spawn error: argument ${badArgument + 1} contains a NUL byte`, options);
  for (const [name, value] of Object.entries(env)) {
    const isSound = name !== '' && !/[=\0]/.test(name) && !value?.includes('\0');
    if (isSound) continue;
    const shown = JSON.stringify(name);
    throw spawnError(`Spawn error: environment variable ${shown} has a bad name or contains a NUL byte`, options);
  }
}

async function describeCwdProblem({ cwd }: SpawnOptions): Promise<string | undefined> {
  if (cwd === undefined) return undefined;
  try {
    if (!(await stat(cwd)).isDirectory()) return `Spawn error: the working folder is not a folder: ${cwd}`;
    await access(cwd, constants.X_OK);
    return undefined;
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return `Spawn error: the working folder does not exist: ${cwd}`;
    return `Spawn error: the working folder cannot be entered: ${cwd}`;
  }
}

async function describeCommandProblem(errno: string | undefined, options: SpawnOptions): Promise<string | undefined> {
  const { command } = options;
  const file = await existingFile(options);
  // If a folder in PATH cannot be searched, the system reports EACCES even for a bare name that was not found.
  const isRefused = errno === 'EACCES' && (file !== undefined || command.includes('/'));
  if (isRefused) return `Spawn error: not executable: ${command}. Check its permissions`;
  if (errno === 'E2BIG')
    return `Spawn error: the arguments and variables of ${command} are larger than this system allows (E2BIG). Put large values in a file`;
  if (errno !== 'ENOENT' && errno !== 'EACCES') return undefined;
  if (file !== undefined) return `Spawn error: the interpreter in the first line of ${file} does not exist`;
  const hint = /\s/.test(command) ? '. It contains a space: arguments belong in args' : '';
  return `Spawn error: command not found: ${command}. ${adviceFor(options)}${hint}`;
}

/** The system searches PATH for a bare name only. */
function adviceFor({ command, cwd = '.' }: SpawnOptions): string {
  if (/\$\{?[A-Za-z_]/.test(command)) return 'Variables are not expanded in command: write the full path';
  if (!command.includes('/')) return 'Check PATH, or give the full path of the command';
  return isAbsolute(command) ? 'This file does not exist' : `There is no file ${resolve(cwd, command)}`;
}

/** The search path of libuv when the environment has no PATH. */
const DEFAULT_PATH = '/usr/local/bin:/bin:/usr/bin';

/** Returns the file that the command names, if it exists. A bare name is looked up in the PATH of the process. */
async function existingFile({ command, env, cwd = '.' }: SpawnOptions): Promise<string | undefined> {
  const folders = command.includes('/') ? [''] : (env['PATH'] ?? DEFAULT_PATH).split(delimiter);
  for (const folder of folders) {
    const file = resolve(cwd, folder, command);
    // A missing or unreadable file is not the one that was meant.
    const found = await stat(file).catch(() => undefined);
    if (found?.isFile()) return file;
  }
  return undefined;
}

function spawnError(
  message: string,
  { command, cwd }: SpawnOptions,
  { errno, cause }: { errno?: string | undefined; cause?: unknown } = {},
): AppError {
  return new AppError('SPAWN_FAILED', message, { cause, data: { command, cwd, errno } });
}
