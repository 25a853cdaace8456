import { sha256 } from '../../base/digest.ts';
import type { Content } from './client-file.ts';
import type { Connection } from './connections.ts';
import { undoEdits } from './edits.ts';
import { type DocumentFormat, openDocument } from './format/document-format.ts';
import type { ConnectTarget } from './targets.ts';

/** A client's file, and what we recorded about it. */
export interface ClientFileState {
  readonly target: ConnectTarget;
  readonly file: string;
  readonly format: DocumentFormat;
  readonly current: Content;
  readonly connection: Connection | undefined;
  /** Reads a backup; undefined if it was deleted. */
  readBackup(name: string): Content;
}

/** A change of a client's file. */
export interface FilePlan {
  readonly target: ConnectTarget;
  readonly file: string;
  readonly current: Content;
  /** Undefined removes the file. */
  readonly next: Content;
  /** The file without our edits. */
  readonly base: Content;
  /** What to record; undefined removes the record. */
  readonly connection: Connection | undefined;
}

/** Plans the change that undoes all our edits of a file. */
export function planDisconnect(state: ClientFileState): FilePlan {
  const { target, file, current } = state;
  const base = withoutOurEdits(state);
  return { target, file, current, next: base, base, connection: undefined };
}

/**
 * Returns the file as it would be without our edits: the backup if nothing else has changed the file, otherwise the
 * current text without them. Undefined if there would be no file.
 */
export function withoutOurEdits(state: ClientFileState): Content {
  const { connection, current, file, format } = state;
  if (connection === undefined || current === undefined) return current;
  if (sha256(current) === connection.written) {
    if (connection.backup === undefined) return undefined;
    const backup = state.readBackup(connection.backup);
    if (backup !== undefined) return backup;
  }
  const document = openDocument(current.toString('utf8'), { file, format });
  const undone = undoEdits(document, connection);
  const wasCreated = connection.backup === undefined;
  if (wasCreated && Object.keys(undone.content).length === 0) return undefined;
  return undone === document ? current : Buffer.from(undone.text);
}
