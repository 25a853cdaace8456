import { AppError } from '../../../base/errors.ts';
import { neutralize, oneLine } from '../../../base/text/safe-text.ts';
import { escapeInvisible, quoteIfNeeded } from '../../../base/text/visible-text.ts';
import { isObject } from '../../../wire/messages.ts';
import { formatBytes } from '../../terminal/byte-size.ts';

/** One part of a resource. */
export interface Content {
  readonly uri: string;
  readonly mimeType: string | undefined;
  /** Undefined for binary content. */
  readonly text: string | undefined;
  readonly bytes: Buffer;
}

/** Parses the contents of a `resources/read` result. */
export function parseContents(result: Readonly<Record<string, unknown>>, server: string): readonly Content[] {
  const { contents } = result;
  const bad = (what: string) =>
    new AppError('BAD_ANSWER', `${quoteIfNeeded(server)}: resources/read: the server sent ${what}.`);
  if (!Array.isArray(contents)) throw bad('no list of contents');
  return contents.map((content: unknown) => {
    if (!isObject(content)) throw bad('contents that are not objects');
    const { uri, mimeType, text, blob } = content;
    const facts = { uri: String(uri), mimeType: typeof mimeType === 'string' ? mimeType : undefined };
    if (typeof text === 'string') return { ...facts, text, bytes: Buffer.from(text) };
    if (typeof blob !== 'string') throw bad('contents with neither text nor blob');
    if (!BASE64.test(blob)) throw bad('a blob that is not base64');
    return { ...facts, text: undefined, bytes: Buffer.from(blob, 'base64') };
  });
}

const BASE64 = /^[\w+/\s-]*={0,2}\s*$/;

/** Formats one part without its final line break, because `answer` adds one. */
export function contentText({ uri, mimeType, text, bytes }: Content, { isRaw }: { readonly isRaw: boolean }): string {
  if (text !== undefined) return (isRaw ? text : neutralize(text, { multiline: true })).replace(/\r?\n$/, '');
  const type = escapeInvisible(oneLine(mimeType ?? 'no text', MAX_TYPE));
  return `[${type}, ${formatBytes(bytes.length)}: ${quoteIfNeeded(uri)}; --output <file> writes it to a file]`;
}

const MAX_TYPE = 60;
