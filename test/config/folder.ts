import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Environment } from '../../src/config/files/folders.ts';
import { useTemporaryFolders } from '../temporary-folder.ts';

/** A temporary folder with a home in it. It is removed after the test. */
export interface Folder {
  readonly path: string;
  readonly home: string;
  /** Writes a file, JSON unless it is text or bytes, and returns its path. */
  write(name: string, content: unknown): string;
  /** The environment of a process in the folder `project`, without variables. */
  testEnvironment(env?: Environment['env'], cwd?: string): Environment;
}

export function useFolders(): () => Folder {
  const newFolder = useTemporaryFolders();
  return () => {
    const path = newFolder();
    const home = join(path, 'home');
    mkdirSync(home);
    mkdirSync(join(path, 'project'));
    return {
      path,
      home,
      write: (name, content) => {
        const file = join(path, name);
        mkdirSync(dirname(file), { recursive: true });
        const isReady = typeof content === 'string' || Buffer.isBuffer(content);
        writeFileSync(file, isReady ? content : JSON.stringify(content, null, 2));
        return file;
      },
      testEnvironment: (env = {}, cwd = 'project') => ({ cwd: join(path, cwd), home, env, platform: 'linux' }),
    };
  };
}
