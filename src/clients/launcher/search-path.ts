import { type Environment, platformPath } from '../../config/files/folders.ts';

/**
 * Returns the folders of this shell's PATH that are still there after this command: npm adds folders of its own for the
 * time that it runs us. Relative folders depend on where a client starts, so a project could put programs there.
 */
export function searchPath({ env, platform }: Environment): readonly string[] {
  const { delimiter, isAbsolute } = platformPath(platform);
  const given = (env['PATH'] ?? env['Path'] ?? '').split(delimiter);
  const lasting = given.filter(
    (folder) => isAbsolute(folder) && !ADDED_BY_NPM.test(folder) && !BREAKS_LINE.test(folder),
  );
  return [...new Set([...lasting, ...(platform === 'win32' ? [] : SYSTEM_FOLDERS)])];
}

const ADDED_BY_NPM = /[\\/](?:node_modules|_npx)(?:[\\/]|$)/;
const BREAKS_LINE = /[\r\n]/;
/** libuv searches these if there is no PATH at all. */
const SYSTEM_FOLDERS = ['/usr/local/bin', '/usr/bin', '/bin'];
