import { pathOf } from '../../config/files/folders.ts';
import type { WritableAt } from './writable-folders.ts';

export interface SafePathOptions {
  readonly platform: NodeJS.Platform;
  readonly writableAt: WritableAt;
}

/**
 * A PATH for programs that run outside of the sandbox: without folders in which a session could plant or replace a `git`,
 * and without relative and empty entries, which mean the working folder or lie in it.
 */
export function safePath(path: string, options: SafePathOptions): string {
  const { delimiter } = pathOf(options.platform);
  const safe = path.split(delimiter).filter((entry) => isSafeEntry(entry, options));
  // An empty PATH would be the working folder.
  return safe.length === 0 && options.platform !== 'win32' ? '/usr/bin:/bin' : safe.join(delimiter);
}

/** Whether no session can decide which programs a PATH folder provides. Any of the programs may itself be a link. */
export function isSafeEntry(entry: string, { platform, writableAt }: SafePathOptions): boolean {
  const { isAbsolute, join } = pathOf(platform);
  const endings = platform === 'win32' ? ['.exe', '.cmd', '.bat', '.com'] : [''];
  const files = () => PROGRAMS.flatMap((name) => endings.map((ending) => join(entry, `${name}${ending}`)));
  return isAbsolute(entry) && [entry, ...files()].every((path) => writableAt(path) === undefined);
}

/**
 * Programs that Codex and Switchboard start by name outside of the sandbox. `node` runs Codex's script. Codex asks
 * `uname`, `getconf` and `lsb_release` for the name of the system.
 */
const PROGRAMS = ['git', 'bwrap', 'codex', 'node', 'sh', 'bash', 'zsh', 'uname', 'getconf', 'lsb_release'];

/** The environment with such a PATH. */
export function withSafePath(
  env: Readonly<Record<string, string | undefined>>,
  options: SafePathOptions,
): Readonly<Record<string, string | undefined>> {
  const isPath = (name: string) => (options.platform === 'win32' ? name.toUpperCase() : name) === 'PATH';
  const name = Object.keys(env).find(isPath) ?? 'PATH';
  return { ...env, [name]: safePath(env[name] ?? '', options) };
}
