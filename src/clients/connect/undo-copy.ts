import { rmSync } from 'node:fs';
import { writeFileAtomic } from '../../base/write-file-atomic.ts';
import { pick } from '../../config/json/decode.ts';
import { parseJsonText } from '../../config/json/json-value.ts';
import { toConfigError } from '../../config/problem.ts';
import { type Content, readClientFile } from './client-file.ts';
import { type Connection, readConnection } from './connections.ts';

const VERSION = 1;
const NOTE = 'Servers that switchboard connect turned off. To turn them on again, run: switchboard disconnect';

/**
 * Returns the path of the copy of a connection's record beside the client's file. It survives the data folder: without
 * it, servers that we removed from the client's file would be lost.
 */
export function undoCopyFile(file: string): string {
  return `${file}.switchboard-backup`;
}

/** Returns the copied record for a client's file; undefined if there is none. Throws if it is damaged. */
export function readUndoCopy({ client, file }: Pick<Connection, 'client' | 'file'>): Connection | undefined {
  const path = undoCopyFile(file);
  const content = readClientFile(path);
  if (content === undefined) return undefined;
  const root = parseJsonText(path, content);
  if (pick(root, 'version')?.content !== VERSION)
    throw toConfigError({ file: path, line: 0, message: 'This backup was written by another version of Switchboard.' });
  const copied = readConnection(root);
  // The home folder may have been moved.
  return copied.client === client ? { ...copied, file } : undefined;
}

/** Copies the record of a connection that has turned off or replaced servers. Removes the copy of any other. */
export function writeUndoCopy(connection: Connection): void {
  const { file, edits } = connection;
  const isNeeded = edits.some((edit) => edit.kind !== 'entry' || edit.previous !== undefined);
  const text = `${JSON.stringify({ version: VERSION, note: NOTE, ...connection }, null, 2)}\n`;
  replaceUndoCopy(file, isNeeded ? Buffer.from(text) : undefined);
}

/** Writes a copy as it was; undefined removes it. */
export function replaceUndoCopy(file: string, content: Content): void {
  const path = undoCopyFile(file);
  if (content === undefined) rmSync(path, { force: true });
  else writeFileAtomic(path, content, { isDurable: true });
}
