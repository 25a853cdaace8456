import { toUSVString } from 'node:util';
import { AppError } from '../base/errors.ts';
import { neutralise, oneLine } from '../base/text.ts';
import { toExit } from '../base/translate.ts';
import { isObject } from '../wire/messages.ts';
import { type KeptResult, READ_RESULT_TOOL, type Shown, shorten } from './kept-results.ts';

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

export type ToolContent =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image' | 'audio'; readonly data: string; readonly mimeType: string }
  | { readonly type: 'resource'; readonly resource: EmbeddedResource }
  | ({ readonly type: 'resource_link'; readonly uri: string } & LinkLabels);

export interface EmbeddedResource {
  readonly uri: string;
  readonly mimeType?: string;
  readonly text?: string;
  /** In base64. */
  readonly blob?: string;
}

export interface LinkLabels {
  readonly name?: string;
  readonly title?: string;
  readonly description?: string;
  readonly mimeType?: string;
}

export interface ToolMessageOptions {
  /** For all text together; the marker comes on top. */
  readonly maxTextBytes?: number;
  /** For each image, sound or other file. */
  readonly maxMediaBytes?: number;
  /** Called at most once, when something is left out. */
  readonly keep: (whole: KeptResult) => string;
}

export const MAX_TEXT_BYTES = 48 * 1024;
export const MAX_MEDIA_BYTES = 1024 * 1024;
const MAX_MEDIA = 16;
const MAX_KEPT_PARTS = 256;
const MAX_CONTENT = 256;
const MAX_PIXELS = 50_000_000;

/** Never throws: whatever a server answers becomes something readable. */
export function toToolMessage(result: unknown, options: ToolMessageOptions): ToolMessage {
  const { maxTextBytes = MAX_TEXT_BYTES, maxMediaBytes = MAX_MEDIA_BYTES, keep } = options;
  const reading: Reading = { maxTextBytes, maxMediaBytes, mediaLeft: MAX_MEDIA, leftOut: [], isWhole: true };
  const structured = isObject(result) ? readStructured(reading, result) : undefined;
  const pieces = readPieces(reading, result, structured);
  const whole = pieces.map(({ text }) => text).join('\n');
  const isTooLong = Buffer.byteLength(whole) > maxTextBytes;
  const reference = isTooLong || !reading.isWhole ? keep({ text: whole, parts: reading.leftOut }) : undefined;
  const shown = isTooLong ? shorten(whole, maxTextBytes, reference ?? '') : undefined;
  const isPlain = shown === undefined && pieces.length <= MAX_CONTENT;
  const content = isPlain
    ? pieces.map(toContent)
    : mergeText(pieces, shown ?? { bytes: Buffer.from(whole), placeOf: (at) => at });
  const note = reading.leftOut.length === 0 ? undefined : partsNote(reading.leftOut.length, reference ?? '');
  const text = shown?.bytes.toString() ?? whole;
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

interface Reading {
  readonly maxTextBytes: number;
  readonly maxMediaBytes: number;
  mediaLeft: number;
  readonly leftOut: string[];
  isWhole: boolean;
}

/** One part of the content: as text, and as what it is when it is more than text. */
interface Piece {
  readonly text: string;
  readonly content?: ToolContent;
  readonly isMedia?: boolean;
}

interface Structured {
  readonly value: unknown;
  /** Undefined when it is nested too deep to be written. */
  readonly json: string | undefined;
  readonly isFitting: boolean;
}

function readStructured({ maxTextBytes }: Reading, result: Readonly<Record<string, unknown>>): Structured | undefined {
  const value = result['structuredContent'] ?? undefined;
  if (value === undefined) return undefined;
  const json = toJson(value);
  return { value, json, isFitting: json !== undefined && Buffer.byteLength(json) <= maxTextBytes };
}

function toJson(value: unknown): string | undefined {
  try {
    return JSON.stringify(value) ?? String(value);
  } catch {
    // Whatever the reason, nobody else could write it either.
    return undefined;
  }
}

const UNWRITABLE = '[data that is nested too deep]';

function readPieces(reading: Reading, result: unknown, structured: Structured | undefined): Piece[] {
  if (!isObject(result)) return [textPiece(`The server answered with something that is no result: ${written(result)}`)];
  const { content } = result;
  const isEmpty = content === undefined || content === null || (Array.isArray(content) && content.length === 0);
  if (isEmpty && structured !== undefined) return [textPiece(structured.json ?? UNWRITABLE)];
  const pieces = Array.isArray(content) ? content.map((part) => readPart(reading, part)) : [readOdd(result)];
  if (structured !== undefined && !structured.isFitting) pieces.push(leaveOutStructured(reading, structured));
  return pieces;
}

function leaveOutStructured(reading: Reading, { json }: Structured): Piece {
  if (json === undefined) return textPiece(UNWRITABLE);
  return leaveOut(reading, json, `structured content, ${bytesText(Buffer.byteLength(json))}, left out`);
}

function written(value: unknown): string {
  return typeof value === 'string' ? value : (toJson(value) ?? UNWRITABLE);
}

/** A result whose content is missing or no list. What else it has may still be the answer. */
function readOdd({ content, isError: _, _meta, ...rest }: Readonly<Record<string, unknown>>): Piece {
  if (content !== undefined && content !== null) return textPiece(written(content));
  return textPiece(Object.keys(rest).length === 0 ? '[the result has no content]' : written(rest));
}

function readPart(reading: Reading, part: unknown): Piece {
  if (typeof part === 'string') return textPiece(part);
  if (!isObject(part)) return textPiece(`[content that is no object: ${written(part)}]`);
  switch (part['type']) {
    case 'text':
      return typeof part['text'] === 'string' ? textPiece(part['text']) : textPiece(`[text missing: ${written(part)}]`);
    case 'image':
    case 'audio':
      return readMedia(reading, part['type'], part);
    case 'resource':
      return isObject(part['resource'])
        ? readResource(reading, part['resource'])
        : textPiece(`[resource missing: ${written(part)}]`);
    case 'resource_link':
      return readLink(part);
    default:
      return textPiece(`[content of an unknown type: ${written(part)}]`);
  }
}

function textPiece(text: string): Piece {
  return { text: clean(text) };
}

/** Hidden text and escape sequences go, and what is no character: providers refuse a whole conversation for it. */
function clean(text: string): string {
  return toUSVString(neutralise(text, { multiline: true }));
}

function readMedia(reading: Reading, type: 'image' | 'audio', part: Readonly<Record<string, unknown>>): Piece {
  const { data } = part;
  const mimeType = mediaType(part['mimeType']);
  if (typeof data !== 'string') return textPiece(`[${mimeType ?? type} without data]`);
  const what = `${mimeType ?? type}, ${bytesText(decodedBytes(data))}`;
  const fault = mimeType?.startsWith(`${type}/`) ? whyLeftOut(reading, data) : 'its media type does not fit';
  if (mimeType === undefined || fault !== undefined) return leaveOut(reading, data, `${what}, left out; ${fault}`);
  reading.mediaLeft--;
  return { text: `[${what}]`, content: { type, data, mimeType }, isMedia: true };
}

function mediaType(value: unknown): string | undefined {
  return typeof value === 'string' && MEDIA_TYPE.test(value) ? value : undefined;
}

const MEDIA_TYPE = /^[a-z]{1,20}\/[\w.+-]{1,100}(?:; ?[\w-]{1,40}=[\w.+-]{1,100})?$/i;

function decodedBytes(base64: string): number {
  const padding = base64.endsWith('==') ? 2 : Number(base64.endsWith('='));
  return Math.max(0, Math.floor((base64.length * 3) / 4) - padding);
}

function bytesText(bytes: number): string {
  if (bytes < 1000) return `${bytes} bytes`;
  return bytes < 1_000_000 ? `${(bytes / 1000).toFixed(1)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}

function whyLeftOut({ maxMediaBytes, mediaLeft }: Reading, data: string): string | undefined {
  if (decodedBytes(data) > maxMediaBytes) return `at most ${bytesText(maxMediaBytes)} are passed on`;
  if (mediaLeft <= 0) return `at most ${MAX_MEDIA} of one result are passed on`;
  if (!BASE64.test(data) || data === '') return 'it is not base64';
  const [width, height] = pixelsOf(Buffer.from(data, 'base64'));
  if (width * height > MAX_PIXELS) return `its ${width} × ${height} pixels are too many`;
  return undefined;
}

const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;

/** `what` is made of our own words and of labels that are harmless already. */
function leaveOut(reading: Reading, data: string, what: string): Piece {
  reading.isWhole = false;
  if (reading.leftOut.length >= MAX_KEPT_PARTS) return { text: `[${what}]` };
  reading.leftOut.push(clean(data));
  return { text: `[${what}; kept as part ${reading.leftOut.length}]` };
}

function readResource(reading: Reading, resource: Readonly<Record<string, unknown>>): Piece {
  const { text, blob } = resource;
  const uri = address(resource['uri']);
  const mimeType = mediaType(resource['mimeType']);
  const labels = mimeType === undefined ? { uri } : { uri, mimeType };
  const head = `resource ${Object.values(labels).join(', ')}`;
  if (typeof text === 'string') {
    const plain = clean(text);
    const content = { type: 'resource', resource: { ...labels, text: plain } } as const;
    return { text: `[${head}]\n${plain}`, content };
  }
  if (typeof blob !== 'string') return textPiece(`[${head}, without contents]`);
  const what = `${head}, ${bytesText(decodedBytes(blob))}`;
  const fault = whyLeftOut(reading, blob);
  if (fault !== undefined) return leaveOut(reading, blob, `${what}, left out; ${fault}`);
  reading.mediaLeft--;
  return { text: `[${what}]`, content: { type: 'resource', resource: { ...labels, blob } }, isMedia: true };
}

/** Never cut, because it is what the resource is read by. */
function address(uri: unknown): string {
  return typeof uri === 'string' && uri !== '' ? clean(neutralise(uri)) : 'without an address';
}

function readLink(part: Readonly<Record<string, unknown>>): Piece {
  const uri = address(part['uri']);
  const given = LABELS.map((key) => [key, part[key]] as const);
  const texts = given.filter((entry): entry is [keyof LinkLabels, string] => typeof entry[1] === 'string');
  const labels: LinkLabels = Object.fromEntries(
    texts.map(([key, text]) => [key, clean(oneLine(text, MAX_LABEL_LENGTH))]),
  );
  const text = `[link to the resource ${[uri, ...Object.values(labels)].join(', ')}]`;
  return { text, content: { type: 'resource_link', uri, ...labels } };
}

const LABELS = ['name', 'title', 'description', 'mimeType'] as const;
const MAX_LABEL_LENGTH = 1000;

function toContent({ text, content }: Piece): ToolContent {
  return content ?? { type: 'text', text };
}

/** Text in as few parts as the media between allow; media stay whole and in their order. */
function mergeText(pieces: readonly Piece[], { bytes, placeOf }: Shown): ToolContent[] {
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
      addText(placeOf(at));
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

/** Width and height as the header of a PNG, GIF, WebP or JPEG says; nothing of the image is unpacked. */
function pixelsOf(image: Buffer): readonly [number, number] {
  if (image.length < 30) return [0, 0];
  if (image.readUInt32BE(0) === 0x89504e47) return [image.readUInt32BE(16), image.readUInt32BE(20)];
  if (image.toString('latin1', 0, 4) === 'GIF8') return [image.readUInt16LE(6), image.readUInt16LE(8)];
  if (image.toString('latin1', 8, 12) === 'WEBP') return pixelsOfWebp(image);
  return image.readUInt16BE(0) === 0xffd8 ? pixelsOfJpeg(image) : [0, 0];
}

function pixelsOfWebp(image: Buffer): readonly [number, number] {
  switch (image.toString('latin1', 12, 16)) {
    case 'VP8X':
      return [image.readUIntLE(24, 3) + 1, image.readUIntLE(27, 3) + 1];
    case 'VP8L': {
      const bits = image.readUInt32LE(21);
      return [(bits & 0x3fff) + 1, ((bits >>> 14) & 0x3fff) + 1];
    }
    default:
      return [image.readUInt16LE(26) & 0x3fff, image.readUInt16LE(28) & 0x3fff];
  }
}

/** The frame header comes after segments of any number, each of which says how long it is. */
function pixelsOfJpeg(image: Buffer): readonly [number, number] {
  for (let at = 2; at + 9 <= image.length; ) {
    const marker = image.readUInt8(at + 1);
    if (image.readUInt8(at) !== 0xff) return [0, 0];
    if (marker === 0xff) at++;
    else if (isFrame(marker)) return [image.readUInt16BE(at + 7), image.readUInt16BE(at + 5)];
    else at += 2 + image.readUInt16BE(at + 2);
  }
  return [0, 0];
}

/** SOF0 to SOF15, without the three numbers among them that mean tables. */
function isFrame(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
}
