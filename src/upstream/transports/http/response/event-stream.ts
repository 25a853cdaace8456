import { AppError } from '../../../../base/errors.ts';
import type { Frame } from '../../../../wire/frame.ts';
import { createPieces } from '../../../../wire/stream/pieces.ts';

/** What is read from a stream of server-sent events. */
export interface EventSink {
  /** The data of an event without a name, or named `message`. Its buffers belong to the receiver. */
  message(frame: Frame): void;
  /** An event of another name. */
  named?(name: string, data: string): void;
  /** Where to go on when the stream breaks off. */
  id(id: string): void;
  /** How long to wait before that. */
  retry(ms: number): void;
}

export interface EventStream {
  /** Throws for an event over the limit: the stream cannot be used any more. */
  push(chunk: Buffer): void;
  /** Bytes of an event that has not ended. */
  heldBytes(): number;
}

/**
 * Server-sent events as bytes: data is never copied or turned into text, unless an event has several lines of it.
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
    // One that could not be sent back is of no use.
    else if (field === 'id' && !CONTROLS.test(value)) id = value;
    else if (field === 'retry' && /^\d{1,9}$/.test(value)) sink.retry(Number(value));
    else if (field === 'data') addData([]);
  };

  const addData = (pieces: readonly Buffer[]) => {
    if (data.length > 0) {
      data.push(NEWLINE);
      // A further line costs us more than its bytes, be it empty.
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

  /** A byte order mark may stand before everything, and may come in pieces. */
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

/** Lines may end with LF, CR LF or CR; nearly all end with LF, and are not touched. */
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

/** The name of the field stands in the first piece, whatever the chunks were. */
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
