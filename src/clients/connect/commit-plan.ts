import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { randomHex } from '../../base/digest.ts';
import { AppError } from '../../base/errors.ts';
import { escapeInvisible } from '../../base/text/visible-text.ts';
import { writeFileAtomic } from '../../base/write-file-atomic.ts';
import {
  type Content,
  checkWritable,
  makeFolderOf,
  readClientFile,
  removeEmptyFolders,
  replaceClientFile,
} from './client-file.ts';
import type { Connection, ConnectionStore } from './connections.ts';
import type { DocumentFormat } from './format/document-format.ts';
import { changesFile } from './plan-connect.ts';
import type { ClientFileState, FilePlan } from './plan-disconnect.ts';
import type { ConnectTarget } from './targets.ts';
import { readUndoCopy, replaceUndoCopy, undoCopyFile, writeUndoCopy } from './undo-copy.ts';

/** A client's file that is read again for each attempt. */
export interface PlannedFile {
  readonly target: ConnectTarget;
  readonly file: string;
  readonly format: DocumentFormat;
  readonly makePlan: (state: ClientFileState) => FilePlan;
}

const MAX_ATTEMPTS = 5;

/** Makes the plan from the current content of the file, without writing anything. */
export function previewPlan({ target, file, format, makePlan }: PlannedFile, store: ConnectionStore): FilePlan {
  const recorded = store.readAll().find((one) => one.client === target.client.id && one.file === file);
  const connection = recorded ?? readUndoCopy({ client: target.client.id, file });
  const plan = makePlan({
    target,
    file,
    format,
    current: readClientFile(file),
    connection,
    readBackup: (name) => readBackup(store, name),
  });
  if (changesFile(plan)) checkWritable(file);
  return plan;
}

/**
 * Makes the plan again and carries it out, while no other Switchboard changes a connection. Starts again if another
 * program changes the file meanwhile. After a failure, the file and the record are as before.
 */
export function commitPlan(planned: PlannedFile, store: ConnectionStore): FilePlan {
  return store.withLock(() => {
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      const plan = previewPlan(planned, store);
      if (apply(plan, store)) return plan;
    }
    const { file, target } = planned;
    const message = `${escapeInvisible(file)} keeps changing. Close ${target.client.title}, then run this again. The file was not changed.`;
    throw new AppError('BUSY', message, { data: { client: target.client.id, file } });
  });
}

/** Returns false if another program has changed the file. */
function apply(plan: FilePlan, store: ConnectionStore): boolean {
  const { file, current, next, target } = plan;
  const before = store.readAll().find((one) => one.client === target.client.id && one.file === file);
  if (plan.connection !== undefined && before !== undefined && !changesFile(plan)) {
    // An earlier version wrote no copy, or someone has removed it.
    if (!existsSync(undoCopyFile(file))) writeUndoCopy(before);
    return true;
  }
  const copied = readClientFile(undoCopyFile(file));
  const restore = () => {
    if (before === undefined) store.remove({ client: target.client.id, file });
    else store.save(before);
    replaceUndoCopy(file, copied);
  };
  const after = plan.connection === undefined ? undefined : prepare(plan.connection, plan, store);
  let isDone = false;
  try {
    // Recorded first: if we are killed before the file is written, there is only nothing to undo.
    if (after !== undefined) {
      store.save(after);
      writeUndoCopy(after);
    }
    isDone = !changesFile(plan) || replaceClientFile(file, { expected: current, content: next });
    if (isDone && after === undefined) {
      if (before !== undefined) store.remove(before);
      replaceUndoCopy(file, undefined);
    }
  } finally {
    if (!isDone) {
      if (after !== undefined) restore();
      removeBackup(store, after);
    }
  }
  if (!isDone) return false;
  removeBackup(store, before);
  if (next === undefined) removeEmptyFolders(file, before?.createdFolder);
  return true;
}

/** Writes the backup and creates the folder of the file. Returns the record that names both. */
function prepare(connection: Connection, { file, base, current }: FilePlan, store: ConnectionStore): Connection {
  const createdFolder = current === undefined ? makeFolderOf(file) : undefined;
  const backup = base === undefined ? undefined : writeBackup(base, { connection, store });
  return {
    ...connection,
    ...(createdFolder === undefined ? {} : { createdFolder }),
    ...(backup === undefined ? {} : { backup }),
  };
}

function writeBackup(
  content: Buffer,
  { connection: { client, file }, store }: { readonly connection: Connection; readonly store: ConnectionStore },
): string {
  const name = `${client}-${randomHex(4)}-${basename(file)}`;
  mkdirSync(store.backupFolder, { recursive: true, mode: 0o700 });
  writeFileAtomic(join(store.backupFolder, name), content, { isDurable: true });
  return name;
}

function readBackup({ backupFolder }: ConnectionStore, name: string): Content {
  const file = join(backupFolder, basename(name));
  return name !== '' && existsSync(file) ? readFileSync(file) : undefined;
}

function removeBackup({ backupFolder }: ConnectionStore, connection: Connection | undefined): void {
  const name = connection?.backup ?? '';
  if (name !== '') rmSync(join(backupFolder, basename(name)), { force: true });
}
