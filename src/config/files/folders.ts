import { posix, win32 } from 'node:path';

/** What decides where files lie. */
export interface Environment {
  readonly cwd: string;
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: NodeJS.Platform;
}

/** Where config.json lies. */
export function configFolder(environment: Environment): string {
  const mac = 'Application Support';
  return folderFor(environment, { xdg: 'XDG_CONFIG_HOME', underHome: '.config', mac, windows: 'APPDATA' });
}

/** Where trust.json and pins.json lie. */
export function dataFolder(environment: Environment): string {
  const mac = 'Application Support';
  return folderFor(environment, { xdg: 'XDG_DATA_HOME', underHome: '.local/share', mac, windows: 'LOCALAPPDATA' });
}

/** Where the catalogs lie. Whatever is in it can be made again. */
export function cacheFolder(environment: Environment): string {
  const mac = 'Caches';
  return folderFor(environment, { xdg: 'XDG_CACHE_HOME', underHome: '.cache', mac, windows: 'LOCALAPPDATA' });
}

/** A path that somebody wrote down: `~` is the home folder, and the rest counts from the working folder. */
export function resolvePath(written: string, { cwd, home, platform }: Omit<Environment, 'env'>): string {
  return platformPath(platform).resolve(cwd, expandHome(written, { home, platform }));
}

/** With the home folder for a leading `~`; everything else as it was written. */
export function expandHome(written: string, { home, platform }: Pick<Environment, 'home' | 'platform'>): string {
  const isHome = written === '~' || written.startsWith('~/') || (platform === 'win32' && written.startsWith('~\\'));
  return isHome ? platformPath(platform).join(home, written.slice(1)) : written;
}

/** An empty variable is like none. */
export function nonEmptyVariable(env: Environment['env'], name: string): string | undefined {
  const value = env[name];
  return value === '' ? undefined : value;
}

/** The rules of paths of a platform, whichever we run on. */
export function platformPath(platform: NodeJS.Platform): typeof posix {
  return platform === 'win32' ? win32 : posix;
}

interface PlatformFolders {
  readonly xdg: string;
  readonly underHome: string;
  /** Under the user's Library. */
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
  // The XDG rules: a path that is not absolute is to be ignored.
  return path.join(named !== undefined && path.isAbsolute(named) ? named : fallback, 'switchboard');
}
