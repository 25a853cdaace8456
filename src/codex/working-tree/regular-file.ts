import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { open } from 'node:fs/promises';

/** A session may have replaced the file with a named pipe. Without O_NONBLOCK, opening a pipe blocks. */
const FLAGS = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);

/**
 * Reads a regular file. Returns undefined if there is none or it is larger than `maxBytes`. Never blocks: a few blocked
 * reads would exhaust the thread pool and stall the process.
 */
export async function readRegularFile(path: string, maxBytes: number): Promise<Buffer | undefined> {
  const file = await open(path, FLAGS).catch(() => undefined);
  if (file === undefined) return undefined;
  try {
    const found = await file.stat();
    if (!found.isFile() || found.size > maxBytes) return undefined;
    const { buffer, bytesRead } = await file.read(Buffer.alloc(found.size), 0, found.size, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}

/** Like `readRegularFile`, but synchronous. */
export function readRegularFileSync(path: string, maxBytes: number): Buffer | undefined {
  let file: number;
  try {
    file = openSync(path, FLAGS);
  } catch {
    // The file does not exist or cannot be read.
    return undefined;
  }
  try {
    const found = fstatSync(file);
    if (!found.isFile() || found.size > maxBytes) return undefined;
    const buffer = Buffer.alloc(found.size);
    return buffer.subarray(0, readSync(file, buffer, 0, found.size, 0));
  } finally {
    closeSync(file);
  }
}
