import {
  closeSync,
  constants,
  createWriteStream,
  fchmodSync,
  fstatSync,
  ftruncateSync,
  openSync,
  readSync,
} from 'node:fs';
import { AppError, messageOf } from '../../base/errors.ts';
import { VERSION } from '../../base/version.ts';
import type { TraceSink } from './trace.ts';

export interface TraceFileOptions {
  /** Called with the reason when the file accepts no more lines. */
  readonly reportError: (text: string) => void;
  /** The maximum size of the file, including lines of earlier runs. */
  readonly maxBytes?: number;
}

const MAX_TRACE_BYTES = 64 * 1024 * 1024;
/** Reserved for the last line. */
const LAST_LINE_BYTES = 200;
const FLUSH_MS = 2_000;

/**
 * Opens a private file and appends lines to it. Callers never wait for the disk, and the size limit of the file bounds
 * the buffered data. Several gateways may write to the same file.
 */
export function openTraceFile(file: string, { reportError, maxBytes = MAX_TRACE_BYTES }: TraceFileOptions): TraceSink {
  const { fd, size } = open(file, maxBytes);
  const stream = createWriteStream(file, { fd });
  let bytes = size;
  let isOpen = true;
  let closing: Promise<void> | undefined;

  const writeLine = (line: string) => {
    bytes += Buffer.byteLength(line) + 1;
    stream.write(`${line}\n`);
  };
  const writeNote = (note: string) =>
    writeLine(`{"time":"${new Date().toISOString()}","note":${JSON.stringify(note)}}`);
  const stop = (reason: string) => {
    isOpen = false;
    reportError(`The trace in ${file} has stopped: ${reason}.`);
  };
  stream.on('error', (error) => {
    if (isOpen) stop(messageOf(error));
  });
  writeNote(`switchboard ${VERSION}, pid ${process.pid}`);

  return {
    get isOpen() {
      return isOpen;
    },
    write(line) {
      if (!isOpen) return;
      if (bytes + Buffer.byteLength(line) + LAST_LINE_BYTES <= maxBytes) return writeLine(line);
      writeNote(`The limit of ${maxBytes} bytes is reached: nothing more is recorded.`);
      stop(`its limit of ${maxBytes} bytes is reached`);
    },
    close() {
      isOpen = false;
      closing ??= new Promise((resolve) => {
        if (stream.closed) return resolve();
        stream.once('close', resolve);
        stream.end();
        setTimeout(resolve, FLUSH_MS).unref();
      });
      return closing;
    },
  };
}

/** The start of every trace. A file that starts differently was named by mistake and is not modified. */
const TRACE_PREFIX = '{"time":"';

function open(file: string, maxBytes: number): { readonly fd: number; readonly size: number } {
  const fd = openPrivate(file);
  try {
    const stat = fstatSync(fd);
    if (!stat.isFile()) throw refusal(file, 'it is not a regular file');
    if (stat.uid !== (process.getuid?.() ?? stat.uid)) throw refusal(file, 'it belongs to another user');
    const head = Buffer.alloc(Math.min(stat.size, TRACE_PREFIX.length));
    readSync(fd, head, 0, head.length, 0);
    if (!TRACE_PREFIX.startsWith(head.toString())) throw refusal(file, 'it already contains something else');
    fchmodSync(fd, 0o600);
    // Each run gets at least half of the file. Lines of earlier runs are kept as long as they leave that much space.
    if (stat.size <= maxBytes / 2) return { fd, size: stat.size };
    ftruncateSync(fd, 0);
    return { fd, size: 0 };
  } catch (error) {
    closeSync(fd);
    throw error;
  }
}

/**
 * Opens the file without following a symbolic link, because in a folder writable by others a link could point anywhere.
 */
function openPrivate(file: string): number {
  const { O_RDWR, O_CREAT, O_APPEND, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants;
  try {
    return openSync(file, O_RDWR | O_CREAT | O_APPEND | O_NOFOLLOW | O_NONBLOCK, 0o600);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    throw refusal(file, REASONS.get(code) ?? messageOf(error), error);
  }
}

const REASONS: ReadonlyMap<string, string> = new Map([
  ['ENOENT', 'its folder does not exist'],
  ['ENOTDIR', 'its folder is a file'],
  ['EISDIR', 'it is a folder'],
  ['ELOOP', 'it is a symbolic link'],
  ['EACCES', 'you do not have write access there'],
  ['EPERM', 'you do not have write access there'],
  ['EROFS', 'the disk is read-only'],
]);

function refusal(file: string, reason: string, cause?: unknown): AppError {
  return new AppError('USAGE', `The trace cannot be written to ${file}: ${reason}. Name another file with --trace.`, {
    cause,
    data: { file },
  });
}
