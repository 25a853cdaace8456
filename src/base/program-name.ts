import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { quoteForShell } from './text/shell-quote.ts';

/**
 * Returns the words that start this program when a person types them, for commands in messages: `switchboard`, or
 * another prefix if there is no `switchboard` on the PATH.
 */
export function programName(): string {
  known ??= chooseProgramName({ script: process.argv[1], env: process.env, exists: existsSync });
  return known;
}

/** A process is started only once. */
let known: string | undefined;

export interface ProgramStart {
  /** The script that Node runs. */
  readonly script: string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  exists(file: string): boolean;
}

/** Chooses the prefix by how the program was started. */
export function chooseProgramName(start: ProgramStart): string {
  const prefix = npxPrefix(start) ?? launcherPath(start);
  return prefix === undefined || isOnPath(start) ? NAME : prefix;
}

const NAME = 'switchboard';

/** npx puts the folder of the script on the PATH, but only for us. */
function isOnPath({ script = '', env, exists }: ProgramStart): boolean {
  const folders = (env['PATH'] ?? env['Path'] ?? '').split(delimiter);
  const lasting = folders.filter((folder) => folder !== '' && !NPM_FOLDER.test(folder) && !script.startsWith(folder));
  return lasting.some((folder) => [NAME, `${NAME}.cmd`].some((name) => exists(join(folder, name))));
}

/** Folders that npm adds to the PATH of what it starts. */
const NPM_FOLDER = /[\\/]node_modules[\\/](?:\.bin|npm|@npmcli)(?:[\\/]|$)/;

const INSTALLED = /[\\/]node_modules[\\/](?:\.bin[\\/]switchboard(?:\.\w+)?$|switchboard[\\/])/;

/** Returns undefined unless `npx`, or `npm exec`, started an installed package. */
function npxPrefix({ script = '', env }: ProgramStart): string | undefined {
  const isByNpx = /[\\/]_npx[\\/]/.test(script) || env['npm_command'] === 'exec';
  if (!isByNpx || !INSTALLED.test(script)) return undefined;
  const chosen = (env['npm_config_package'] ?? '').trim();
  return chosen === '' ? `npx ${NAME}` : `npx --package ${quoteForShell(chosen)} ${NAME}`;
}

/** Returns the launcher that `connect` installed next to this copy, if it started us. */
function launcherPath({ script = '', exists }: ProgramStart): string | undefined {
  const data = /^(.+)[\\/]app[\\/][^\\/]+[\\/]dist[\\/]cli[\\/]main\.js$/.exec(script)?.[1];
  if (data === undefined) return undefined;
  const launcher = [NAME, `${NAME}.cmd`].map((name) => join(data, 'bin', name)).find(exists);
  return launcher === undefined ? undefined : quoteForShell(launcher);
}
