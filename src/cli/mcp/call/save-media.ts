import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { AppError, messageOf } from '../../../base/errors.ts';
import { MAX_PIXELS, readImageSize } from '../../../base/image-size.ts';
import { quoteIfNeeded } from '../../../base/text/visible-text.ts';
import { formatBytes } from '../../terminal/byte-size.ts';
import { fileExtension, type Media } from './media.ts';

export interface MediaSaverOptions {
  /** Undefined selects a private folder below `temporary`. */
  readonly folder: string | undefined;
  readonly temporary: string;
}

/** Saves media of a result and returns the location: `[image/png 12.3 KiB saved to …]`. Never overwrites a file. */
export function createMediaSaver({ folder, temporary }: MediaSaverOptions): (media: Media) => string {
  let target: string | undefined;
  let count = 0;
  const open = () => {
    if (folder === undefined) return mkdtempSync(join(temporary, 'switchboard-'));
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    return folder;
  };
  return ({ mimeType, data }) => {
    const name = quoteIfNeeded(mimeType);
    if (base64Length(data) > MAX_BYTES)
      return `[${name} ${formatBytes(base64Length(data))}, not saved: larger than 50 MB]`;
    if (!isBase64(data)) return `[${name}, not saved: it is not base64]`;
    const bytes = Buffer.from(data, 'base64');
    const pixels = readImageSize(bytes);
    if (pixels !== undefined && pixels.width * pixels.height > MAX_PIXELS)
      return `[${name} ${formatBytes(bytes.length)}, not saved: ${pixels.width} × ${pixels.height} pixels are too many]`;
    try {
      target ??= open();
      const path = writeAs(target, bytes, () => `${kindOf(mimeType)}-${++count}.${fileExtension(mimeType)}`);
      return `[${name} ${formatBytes(bytes.length)} saved to ${quoteIfNeeded(path)}]`;
    } catch (error) {
      const where = quoteIfNeeded(target ?? folder ?? temporary);
      throw new AppError('USAGE', `Could not save to ${where}: ${messageOf(error)}`, { cause: error });
    }
  };
}

const MAX_BYTES = 50 * 1000 * 1000;
const MAX_FILES = 10_000;

/** Writes under the first unused name. */
function writeAs(folder: string, bytes: Buffer, nextName: () => string): string {
  for (let tried = 0; ; tried++) {
    const path = join(folder, nextName());
    try {
      writeFileSync(path, bytes, { mode: 0o600, flag: 'wx' });
      return path;
    } catch (error) {
      const isTaken = error instanceof Error && 'code' in error && error.code === 'EEXIST';
      if (!isTaken || tried >= MAX_FILES) throw error;
    }
  }
}

function kindOf(mimeType: string): string {
  return /^(image|audio|video|text)\//.exec(mimeType)?.[1] ?? 'file';
}

/** Returns the decoded size in bytes. */
function base64Length(data: string): number {
  return Math.floor((data.length * 3) / 4);
}

function isBase64(data: string): boolean {
  return data !== '' && !/[^A-Za-z0-9+/=_\-\s]/.test(data);
}
