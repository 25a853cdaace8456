import { toExit } from '../../base/error-translation.ts';
import { AppError } from '../../base/errors.ts';
import { oneLine } from '../../base/text/safe-text.ts';
import { isObject } from '../../wire/messages.ts';
import { MAX_MEDIA, type Piece, type Reading, readPieces, readStructured, type ToolContent } from './result-pieces.ts';
import { READ_RESULT_TOOL, type StoredResult } from './stored-results.ts';
import { type TruncatedText, truncateMiddle } from './truncate-middle.ts';

/** What an agent gets from a call: bounded, and fit for a model to read. */
export interface ToolMessage {
  /**
   * In the order of the server. What cannot be passed on is described by text in its place; where there is too much or
   * there are too many, all but media becomes text.
   */
  readonly content: readonly ToolContent[];
  /** The same as text alone: media are named, resources stand with their address. */
  readonly text: string;
  readonly is_error: boolean;
  /** For programs, exactly as the server gave it: not fit to be shown. Missing when it is over the limit on text. */
  readonly structured?: unknown;
  /** By which the whole result can be read, when it was shortened. */
  readonly reference?: string;
}

export interface ToolMessageOptions {
  /** For all text together; the marker comes on top. */
  readonly maxTextBytes?: number;
  /** For each image, sound or other file. */
  readonly maxMediaBytes?: number;
  /** Called at most once, when something is left out. */
  readonly store: (whole: StoredResult) => string;
}

export const MAX_TEXT_BYTES = 48 * 1024;
const MAX_MEDIA_BYTES = 1024 * 1024;
const MAX_CONTENT = 256;

/** Never throws: whatever a server answers becomes something readable. */
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

/** For a call that failed before it had a result: one line, and what to do next. */
export function errorMessage({ code, message }: AppError): ToolMessage {
  const { text } = toExit(new AppError(code, oneLine(message, MAX_ERROR_LENGTH)), { json: false });
  return { content: [{ type: 'text', text }], text, is_error: true };
}

const MAX_ERROR_LENGTH = 2000;

function toContent({ text, content }: Piece): ToolContent {
  return content ?? { type: 'text', text };
}

/** Text in as few parts as the media between allow; media stay whole and in their order. */
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
  const which = count === 1 ? 'What was left out is part 1' : `What was left out are the parts 1 to ${count}`;
  return `[${which} of this result; read with ${READ_RESULT_TOOL} ${JSON.stringify({ reference, part: 1 })}]`;
}
