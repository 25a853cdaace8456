import { quoteIfNeeded } from '../../../base/text/visible-text.ts';
import { formatBytes } from '../../terminal/byte-size.ts';

/** Binary data of a result, as base64. */
export interface Media {
  readonly mimeType: string;
  readonly data: string;
}

/** Describes media that cannot be shown: `[image/png 12.3 KiB]`. */
export function describeMedia({ mimeType, data }: Media): string {
  return `[${quoteIfNeeded(mimeType)} ${formatBytes(Math.floor((data.length * 3) / 4))}, not saved: --output <dir> saves it]`;
}

/** Returns the file extension of a media type. Uses only known types, never text of the server. */
export function fileExtension(mimeType: string): string {
  const [kind = ''] = mimeType.toLowerCase().split(';');
  return Object.hasOwn(EXTENSIONS, kind) ? (EXTENSIONS[kind] ?? 'bin') : 'bin';
}

const EXTENSIONS: Readonly<Record<string, string>> = {
  ...{ 'image/png': 'png', 'image/jpeg': 'jpg', 'image/gif': 'gif', 'image/webp': 'webp', 'image/svg+xml': 'svg' },
  ...{ 'image/bmp': 'bmp', 'image/tiff': 'tiff', 'image/avif': 'avif' },
  ...{ 'audio/wav': 'wav', 'audio/x-wav': 'wav', 'audio/mpeg': 'mp3', 'audio/mp3': 'mp3', 'audio/ogg': 'ogg' },
  ...{ 'audio/flac': 'flac', 'audio/aac': 'aac', 'audio/webm': 'weba', 'video/mp4': 'mp4', 'video/webm': 'webm' },
  ...{ 'application/pdf': 'pdf', 'application/zip': 'zip', 'application/json': 'json', 'application/gzip': 'gz' },
  ...{ 'text/plain': 'txt', 'text/csv': 'csv', 'text/markdown': 'md' },
};
