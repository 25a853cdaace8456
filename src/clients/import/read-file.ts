import { statSync } from 'node:fs';
import { programName } from '../../base/program-name.ts';
import { readSmallFile } from '../../config/files/small-file.ts';
import { type ForeignFile, type ForeignFileOptions, parseForeignFile } from '../../config/foreign/foreign-file.ts';
import { toConfigError } from '../../config/problem.ts';

/** Reads a file of another program; undefined if it does not exist. Throws if it cannot be used as a whole. */
export async function readForeignFile(file: string, options: ForeignFileOptions): Promise<ForeignFile | undefined> {
  const content = readSmallFile(file, MAX_BYTES);
  if (content === undefined) return undefined;
  refuseForeignOwner(file, content.realPath);
  return parseForeignFile(file, content.bytes, options);
}

/** Claude Code keeps its history in the file with its servers. */
const MAX_BYTES = 64 * 1024 * 1024;

/** Another user could put any command there, which would then run as this user. */
function refuseForeignOwner(file: string, realPath: string): void {
  const own = process.getuid?.();
  if (own === undefined) return;
  const { uid } = statSync(realPath);
  if (uid === own) return;
  const message = `The file belongs to another user (uid ${uid}; yours is ${own}), who could change what you import. Copy it to a file of your own, then run: ${programName()} import --from <copy>`;
  throw toConfigError({ file, line: 0, message });
}
