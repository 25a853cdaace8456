import { pathOf } from '../config/folders.ts';
import type { WritableAt } from './writable-places.ts';

export interface SafePathOptions {
  readonly platform: NodeJS.Platform;
  readonly writableAt: WritableAt;
}

/**
 * A PATH for programs that run outside of the sandbox: without folders in which a session could plant a `git`, and
 * without relative and empty entries, which mean the working folder or lie in it.
 */
export function safePath(path: string, { platform, writableAt }: SafePathOptions): string {
  const { delimiter, isAbsolute } = pathOf(platform);
  const safe = path.split(delimiter).filter((entry) => isAbsolute(entry) && writableAt(entry) === undefined);
  // An empty PATH would be the working folder.
  return safe.length === 0 && platform !== 'win32' ? '/usr/bin:/bin' : safe.join(delimiter);
}

/** The environment with such a PATH. */
export function withSafePath(
  env: Readonly<Record<string, string | undefined>>,
  options: SafePathOptions,
): Readonly<Record<string, string | undefined>> {
  const isPath = (name: string) => (options.platform === 'win32' ? name.toUpperCase() : name) === 'PATH';
  const name = Object.keys(env).find(isPath) ?? 'PATH';
  return { ...env, [name]: safePath(env[name] ?? '', options) };
}
