import { AppError } from '../../../../base/errors.ts';
import type { Frame } from '../../../../wire/frame.ts';
import { createPieces } from '../../../../wire/stream/pieces.ts';

/** Receiver of server-sent events. */
export interface EventSink {
  /** Called with the data of an event that is unnamed or named `message`. The receiver owns the buffers. */
  message(frame: Frame): void;
  /** Called for an event with another name. */
  named?(name: string, data: string): void;
  /** Called with the event id from which an interrupted stream can be resumed. */
  id(id: string): void;
  /** Called with the delay before a reconnect. */
  retry(ms: number): void;
}

export interface EventStream {
  /** Throws for an event over the limit. The stream is unusable afterward. */
  push(chunk: Buffer): void;
  /** Returns the bytes of the incomplete event. */
  heldBytes(): number;
}

/**
 * Parses server-sent events as bytes: the data of single-line messages is neither copied nor decoded.
 * https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation
 */
export function createEventStream(sink: EventSink, { maxBytes }: { readonly maxBytes: number }): EventStream {
  const line = createPieces();
  const toNewlines = createNewlines();
  let partialByteOrderMark: Buffer | undefined = NOTHING;
  let data: Buffer[] = [];
  let dataBytes = 0;
  let name = '';
  let id: string | undefined;

  const takeLine = (pieces: readonly Buffer[]) => {
    const [head] = pieces;
    if (head === undefined) return dispatch();
    if (startsWith(head, DATA)) return addData(withoutPrefix(pieces, DATA.length));
    const text = Buffer.concat(pieces).toString('utf8');
    const colon = text.indexOf(':');
    const [field, value] = colon === -1 ? [text, ''] : [text.slice(0, colon), withoutSpace(text.slice(colon + 1))];
    if (field === 'event') name = value;
    // An id with control characters could not be sent back in a header.
    else if (field === 'id' && !CONTROLS.test(value)) id = value;
    else if (field === 'retry' && /^\d{1,9}$/.test(value)) sink.retry(Number(value));
    else if (field === 'data') addData([]);
  };

  const addData = (pieces: readonly Buffer[]) => {
    if (data.length > 0) {
      data.push(NEWLINE);
      // Each extra line costs more memory than its bytes, even an empty one.
      dataBytes += LINE_BYTES;
    }
    for (const piece of pieces) {
      data.push(piece);
      dataBytes += piece.length;
    }
    check(dataBytes);
  };

  const dispatch = () => {
    const [frame, event] = [data, name];
    data = [];
    dataBytes = 0;
    name = '';
    if (id !== undefined) sink.id(id);
    id = undefined;
    if (frame.length === 0) return;
    if (event === '' || event === 'message') sink.message(frame);
    else sink.named?.(event, Buffer.concat(frame).toString('utf8'));
  };

  const check = (bytes: number) => {
    if (bytes > maxBytes)
      throw new AppError('MESSAGE_TOO_LARGE', `An event is over the limit of ${maxBytes} bytes.`, {
        data: { maxBytes },
      });
  };

  /** Strips a byte order mark from the start of the stream. It may arrive in pieces. */
  const begin = (chunk: Buffer): Buffer => {
    const start =
      partialByteOrderMark === undefined || partialByteOrderMark.length === 0
        ? chunk
        : Buffer.concat([partialByteOrderMark, chunk]);
    const isUndecided =
      start.length < BYTE_ORDER_MARK.length && BYTE_ORDER_MARK.subarray(0, start.length).equals(start);
    partialByteOrderMark = isUndecided ? start : undefined;
    if (isUndecided) return NOTHING;
    return startsWith(start, BYTE_ORDER_MARK) ? start.subarray(BYTE_ORDER_MARK.length) : start;
  };

  const endLine = (piece: Buffer) => {
    if (line.bytes === 0) return takeLine(piece.length === 0 ? [] : [piece]);
    line.add(piece);
    takeLine(withWholeHead(line.take()));
  };

  return {
    heldBytes: () => dataBytes + line.bytes,
    push(chunk) {
      const bytes = toNewlines(partialByteOrderMark === undefined ? chunk : begin(chunk));
      let from = 0;
      for (let at = bytes.indexOf(LF); at !== -1; at = bytes.indexOf(LF, from)) {
        endLine(bytes.subarray(from, at));
        from = at + 1;
      }
      if (from === bytes.length) return;
      line.add(from === 0 ? bytes : bytes.subarray(from));
      check(dataBytes + line.bytes);
    },
  };
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const CONTROLS = /[\0-\x1f\x7f]/;
const LF = 10;
const CR = 13;
const SPACE = 32;
const LINE_BYTES = 64;
const NEWLINE = Buffer.from('\n');
const DATA = Buffer.from('data:');
const NOTHING = Buffer.alloc(0);
const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);

/** Converts CR LF and CR line ends to LF. Nearly all streams use LF and pass unchanged. */
function createNewlines(): (chunk: Buffer) => Buffer {
  let endedWithReturn = false;
  return (chunk) => {
    const skipsFirst = endedWithReturn && chunk[0] === LF;
    endedWithReturn = chunk[chunk.length - 1] === CR;
    const bytes = skipsFirst ? chunk.subarray(1) : chunk;
    if (!bytes.includes(CR)) return bytes;
    return Buffer.from(bytes.toString('latin1').replace(/\r\n?/g, '\n'), 'latin1');
  };
}

/** Joins the first pieces until the first one contains the whole field name, whatever the chunk boundaries. */
function withWholeHead(pieces: Buffer[]): Buffer[] {
  const [first, second, ...rest] = pieces;
  if (first === undefined || second === undefined || first.length > DATA.length) return pieces;
  return withWholeHead([Buffer.concat([first, second]), ...rest]);
}

function startsWith(head: Buffer, word: Buffer): boolean {
  return head.length >= word.length && head.compare(word, 0, word.length, 0, word.length) === 0;
}

function withoutPrefix([head, ...rest]: readonly Buffer[], length: number): Buffer[] {
  if (head === undefined) return [];
  const value = head.subarray(head[length] === SPACE ? length + 1 : length);
  return value.length === 0 ? rest : [value, ...rest];
}

function withoutSpace(value: string): string {
  return value.startsWith(' ') ? value.slice(1) : value;
}
