import { mkdtempSync, realpathSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach } from 'vitest';
import type { Environment } from '../src/config/files/folders.ts';

/** Returns a function that creates an empty folder and returns its real path. The folders are removed after each test. */
export function useTemporaryFolders(): () => string {
  const created: string[] = [];
  afterEach(() => {
    for (const path of created.splice(0)) rmSync(path, { recursive: true, force: true });
  });
  return () => {
    const path = realpathSync(mkdtempSync(join(tmpdir(), 'switchboard-test-')));
    created.push(path);
    return path;
  };
}

/** Returns a function that creates an environment with an empty home, in which Switchboard keeps all of its files. */
export function useTemporaryHomes(): () => Environment {
  const newFolder = useTemporaryFolders();
  return () => {
    const home = newFolder();
    return { cwd: home, home, env: { SWITCHBOARD_HOME: home }, platform: 'linux' };
  };
}

/** Returns the permissions of a path, such as `600`. */
export function modeOf(path: string): string {
  return (statSync(path).mode & 0o777).toString(8);
}
