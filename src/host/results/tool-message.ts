import { toExit } from '../../base/error-translation.ts';
import { AppError } from '../../base/errors.ts';
import { oneLine } from '../../base/text/safe-text.ts';
import { isObject } from '../../wire/messages.ts';
import { MAX_MEDIA, type Piece, type Reading, readPieces, readStructured, type ToolContent } from './result-pieces.ts';
import { READ_RESULT_TOOL, type StoredResult } from './stored-results.ts';
import { type TruncatedText, truncateMiddle } from './truncate-middle.ts';

/** The result of a call for an agent: bounded in size and safe for a model to read. */
export interface ToolMessage {
  /**
   * In the server's order. Text describes the parts that cannot be passed on. When there is too much text or there are
   * too many parts, everything except media becomes text.
   */
  readonly content: readonly ToolContent[];
  /** The content as text only: names media, and gives resources with their URI. */
  readonly text: string;
  readonly is_error: boolean;
  /** For programs, exactly as the server sent it: not safe to display. Missing when it exceeds the text limit. */
  readonly structured?: unknown;
  /** Reference for reading the complete result, when it was shortened. */
  readonly reference?: string;
}

export interface ToolMessageOptions {
  /** Limit for all text together; the marker is not included. */
  readonly maxTextBytes?: number;
  /** Limit for each image, audio or other file. */
  readonly maxMediaBytes?: number;
  /** Called at most once, when something is left out. */
  readonly store: (whole: StoredResult) => string;
}

export const MAX_TEXT_BYTES = 48 * 1024;
const MAX_MEDIA_BYTES = 1024 * 1024;
const MAX_CONTENT = 256;

/** Converts a result. Never throws: every answer of a server becomes readable text. */
export function toToolMessage(result: unknown, options: ToolMessageOptions): ToolMessage {
  const { maxTextBytes = MAX_TEXT_BYTES, maxMediaBytes = MAX_MEDIA_BYTES, store } = options;
  const reading: Reading = { maxTextBytes, maxMediaBytes, mediaLeft: MAX_MEDIA, leftOut: [], isWhole: true };
  const structured = isObject(result) ? readStructured(reading, result) : undefined;
  const pieces = readPieces(reading, result, structured);
  const whole = pieces.map(({ text }) => text).join('\n');
  const isTooLong = Buffer.byteLength(whole) > maxTextBytes;
  const reference = isTooLong || !reading.isWhole ? store({ text: whole, parts: reading.leftOut }) : undefined;
  const truncated = isTooLong ? truncateMiddle(whole, maxTextBytes, reference ?? '') : undefined;
  const isPlain = truncated === undefined && pieces.length <= MAX_CONTENT;
  const content = isPlain
    ? pieces.map(toContent)
    : mergeText(pieces, truncated ?? { bytes: Buffer.from(whole), mapOffset: (at) => at });
  const note = reading.leftOut.length === 0 ? undefined : partsNote(reading.leftOut.length, reference ?? '');
  const text = truncated?.bytes.toString() ?? whole;
  return {
    content: note === undefined ? content : [...content, { type: 'text', text: note }],
    text: note === undefined ? text : `${text}\n${note}`,
    is_error: !isObject(result) || result['isError'] === true,
    ...(structured?.isFitting ? { structured: structured.value } : {}),
    ...(reference === undefined ? {} : { reference }),
  };
}

/** Builds the message for a call that failed before it had a result: one line, and the next step. */
export function errorMessage({ code, message }: AppError): ToolMessage {
  const { text } = toExit(new AppError(code, oneLine(message, MAX_ERROR_LENGTH)), { json: false });
  return { content: [{ type: 'text', text }], text, is_error: true };
}

const MAX_ERROR_LENGTH = 2000;

function toContent({ text, content }: Piece): ToolContent {
  return content ?? { type: 'text', text };
}

/** Merges text into as few parts as the media in between allow; keeps media whole and in order. */
function mergeText(pieces: readonly Piece[], { bytes, mapOffset }: TruncatedText): ToolContent[] {
  const merged: ToolContent[] = [];
  let from = 0;
  let at = 0;
  const addText = (to: number) => {
    if (to > from) merged.push({ type: 'text', text: bytes.toString('utf8', from, to) });
    from = to;
  };
  for (const { text, content, isMedia } of pieces) {
    at += Buffer.byteLength(text);
    if (isMedia && content !== undefined) {
      addText(mapOffset(at));
      merged.push(content);
    }
    at += '\n'.length;
  }
  addText(bytes.length);
  return merged;
}

function partsNote(count: number, reference: string): string {
  const which = count === 1 ? 'The omitted content is part 1' : `The omitted contents are parts 1 to ${count}`;
  return `[${which} of this result; read with ${READ_RESULT_TOOL} ${JSON.stringify({ reference, part: 1 })}]`;
}
