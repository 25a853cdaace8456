import { posix, win32 } from 'node:path';

/** Everything that determines the location of files. */
export interface Environment {
  readonly cwd: string;
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: NodeJS.Platform;
  /** The only config files to read, instead of all others; the first wins. */
  readonly configFiles?: readonly string[];
}

/** Returns the folder of config.json. */
export function configFolder(environment: Environment): string {
  const mac = 'Application Support';
  return folderFor(environment, { xdg: 'XDG_CONFIG_HOME', underHome: '.config', mac, windows: 'APPDATA' });
}

/** Returns the folder of what users entrust to Switchboard: sign-ins, secrets, tokens, trust and pins. */
export function dataFolder(environment: Environment): string {
  const mac = 'Application Support';
  return folderFor(environment, { xdg: 'XDG_DATA_HOME', underHome: '.local/share', mac, windows: 'LOCALAPPDATA' });
}

/** Returns the path of a file in the data folder. */
export function dataFile(environment: Environment, name: string): string {
  return platformPath(environment.platform).join(dataFolder(environment), name);
}

/** Returns the folder of the cached catalogs. Its content can be recreated at any time. */
export function cacheFolder(environment: Environment): string {
  const mac = 'Caches';
  return folderFor(environment, { xdg: 'XDG_CACHE_HOME', underHome: '.cache', mac, windows: 'LOCALAPPDATA' });
}

/**
 * Returns the folder of compiled code, or undefined with `SWITCHBOARD_CODE_CACHE=off`. The variable may also name a
 * folder. The files decide what runs, so XDG_CACHE_HOME does not count: it may name a temporary folder, where sandboxed
 * Codex sessions may write.
 */
export function codeFolder(environment: Environment): string | undefined {
  const { env, platform } = environment;
  const chosen = nonEmptyVariable(env, 'SWITCHBOARD_CODE_CACHE');
  if (chosen === 'off') return undefined;
  if (chosen !== undefined) return resolvePath(chosen, environment);
  const { XDG_CACHE_HOME: _, ...others } = env;
  return platformPath(platform).join(cacheFolder({ ...environment, env: others }), 'code');
}

/** Resolves a path that a user wrote: `~` is the home folder, and relative paths start at the working folder. */
export function resolvePath(written: string, { cwd, home, platform }: Omit<Environment, 'env'>): string {
  return platformPath(platform).resolve(cwd, expandHome(written, { home, platform }));
}

/** Replaces a leading `~` by the home folder; everything else stays as written. */
export function expandHome(written: string, { home, platform }: Pick<Environment, 'home' | 'platform'>): string {
  const isHome = written === '~' || written.startsWith('~/') || (platform === 'win32' && written.startsWith('~\\'));
  return isHome ? platformPath(platform).join(home, written.slice(1)) : written;
}

/** Returns the value of a variable; an empty one counts as unset. */
export function nonEmptyVariable(env: Environment['env'], name: string): string | undefined {
  const value = env[name];
  return value === '' ? undefined : value;
}

/** Returns the path functions of a platform, whichever one we run on. */
export function platformPath(platform: NodeJS.Platform): typeof posix {
  return platform === 'win32' ? win32 : posix;
}

interface PlatformFolders {
  readonly xdg: string;
  readonly underHome: string;
  /** Inside the user's Library folder. */
  readonly mac: string;
  readonly windows: string;
}

function folderFor(environment: Environment, { xdg, underHome, mac, windows }: PlatformFolders): string {
  const { env, home, platform } = environment;
  const sharedHome = nonEmptyVariable(env, 'SWITCHBOARD_HOME');
  if (sharedHome !== undefined) return resolvePath(sharedHome, environment);
  const path = platformPath(platform);
  if (platform === 'darwin') return path.join(home, 'Library', mac, 'switchboard');
  const roaming = windows === 'APPDATA' ? 'Roaming' : 'Local';
  const fallback = platform === 'win32' ? path.join(home, 'AppData', roaming) : path.join(home, underHome);
  const named = nonEmptyVariable(env, platform === 'win32' ? windows : xdg);
  // The XDG specification requires ignoring a path that is not absolute.
  return path.join(named !== undefined && path.isAbsolute(named) ? named : fallback, 'switchboard');
}
