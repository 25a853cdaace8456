import { toUSVString } from 'node:util';
import { MAX_PIXELS, readImageSize } from '../../base/image-size.ts';
import { neutralize, oneLine } from '../../base/text/safe-text.ts';
import { isObject } from '../../wire/messages.ts';

export type ToolContent =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image' | 'audio'; readonly data: string; readonly mimeType: string }
  | { readonly type: 'resource'; readonly resource: EmbeddedResource }
  | ({ readonly type: 'resource_link'; readonly uri: string } & LinkLabels);

export interface EmbeddedResource {
  readonly uri: string;
  readonly mimeType?: string;
  readonly text?: string;
  /** Base64. */
  readonly blob?: string;
}

export interface LinkLabels {
  readonly name?: string;
  readonly title?: string;
  readonly description?: string;
  readonly mimeType?: string;
}

/** State of a conversion: the remaining limits, and the data left out so far. */
export interface Reading {
  readonly maxTextBytes: number;
  readonly maxMediaBytes: number;
  mediaLeft: number;
  readonly leftOut: string[];
  isWhole: boolean;
}

/** One part of the content: as text, and in its own form when it is more than text. */
export interface Piece {
  readonly text: string;
  readonly content?: ToolContent;
  readonly isMedia?: boolean;
}

export interface Structured {
  readonly value: unknown;
  /** Undefined when the value is nested too deeply to serialize. */
  readonly json: string | undefined;
  readonly isFitting: boolean;
}

/** Reads the structured content for programs; undefined when the server sent none. */
export function readStructured(
  { maxTextBytes }: Reading,
  result: Readonly<Record<string, unknown>>,
): Structured | undefined {
  const value = result['structuredContent'] ?? undefined;
  if (value === undefined) return undefined;
  const json = toJson(value);
  return { value, json, isFitting: json !== undefined && Buffer.byteLength(json) <= maxTextBytes };
}

function toJson(value: unknown): string | undefined {
  try {
    return JSON.stringify(value) ?? String(value);
  } catch {
    // Whatever the reason, no other serializer would succeed.
    return undefined;
  }
}

const UNWRITABLE = '[data that is nested too deeply]';

/** Returns the parts of a result in order. Never throws: every part becomes readable text. */
export function readPieces(reading: Reading, result: unknown, structured: Structured | undefined): Piece[] {
  if (!isObject(result))
    return [textPiece(`The server answered with something that is not a result: ${toText(result)}`)];
  const { content } = result;
  const isEmpty = content === undefined || content === null || (Array.isArray(content) && content.length === 0);
  if (isEmpty && structured !== undefined) return [textPiece(structured.json ?? UNWRITABLE)];
  const pieces = Array.isArray(content) ? content.map((part) => readPart(reading, part)) : [readMalformed(result)];
  if (structured !== undefined && !structured.isFitting) pieces.push(leaveOutStructured(reading, structured));
  return pieces;
}

function leaveOutStructured(reading: Reading, { json }: Structured): Piece {
  if (json === undefined) return textPiece(UNWRITABLE);
  return leaveOut(reading, json, `structured content, ${bytesText(Buffer.byteLength(json))}, left out`);
}

function toText(value: unknown): string {
  return typeof value === 'string' ? value : (toJson(value) ?? UNWRITABLE);
}

/** Converts a result whose content is missing or not a list. Its other members may still be the answer. */
function readMalformed({ content, isError: _, _meta, ...rest }: Readonly<Record<string, unknown>>): Piece {
  if (content !== undefined && content !== null) return textPiece(toText(content));
  return textPiece(Object.keys(rest).length === 0 ? '[the result has no content]' : toText(rest));
}

function readPart(reading: Reading, part: unknown): Piece {
  if (typeof part === 'string') return textPiece(part);
  if (!isObject(part)) return textPiece(`[content that is not an object: ${toText(part)}]`);
  switch (part['type']) {
    case 'text':
      return typeof part['text'] === 'string' ? textPiece(part['text']) : textPiece(`[text missing: ${toText(part)}]`);
    case 'image':
    case 'audio':
      return readMedia(reading, part['type'], part);
    case 'resource':
      return isObject(part['resource'])
        ? readResource(reading, part['resource'])
        : textPiece(`[resource missing: ${toText(part)}]`);
    case 'resource_link':
      return readLink(part);
    default:
      return textPiece(`[content of an unknown type: ${toText(part)}]`);
  }
}

function textPiece(text: string): Piece {
  return { text: clean(text) };
}

/**
 * Removes hidden text and escape sequences, and replaces lone surrogates: providers reject a whole conversation because
 * of one.
 */
function clean(text: string): string {
  return toUSVString(neutralize(text, { multiline: true }));
}

function readMedia(reading: Reading, type: 'image' | 'audio', part: Readonly<Record<string, unknown>>): Piece {
  const { data } = part;
  const mimeType = mediaType(part['mimeType']);
  if (typeof data !== 'string') return textPiece(`[${mimeType ?? type} without data]`);
  const label = `${mimeType ?? type}, ${bytesText(decodedBytes(data))}`;
  const reason = mimeType?.startsWith(`${type}/`) ? omittedReason(reading, data) : 'its media type does not match';
  if (mimeType === undefined || reason !== undefined) return leaveOut(reading, data, `${label}, left out; ${reason}`);
  reading.mediaLeft--;
  return { text: `[${label}]`, content: { type, data, mimeType }, isMedia: true };
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

function omittedReason({ maxMediaBytes, mediaLeft }: Reading, data: string): string | undefined {
  if (decodedBytes(data) > maxMediaBytes) return `at most ${bytesText(maxMediaBytes)} are forwarded`;
  if (mediaLeft <= 0) return `at most ${MAX_MEDIA} of one result are forwarded`;
  if (!BASE64.test(data) || data === '') return 'it is not base64';
  const { width, height } = readImageSize(Buffer.from(data, 'base64')) ?? { width: 0, height: 0 };
  if (width * height > MAX_PIXELS) return `its ${width} × ${height} pixels are too many`;
  return undefined;
}

const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;

/** `label` contains only our own text and labels that are already neutralized. */
function leaveOut(reading: Reading, data: string, label: string): Piece {
  reading.isWhole = false;
  if (reading.leftOut.length >= MAX_KEPT_PARTS) return { text: `[${label}]` };
  reading.leftOut.push(clean(data));
  return { text: `[${label}; kept as part ${reading.leftOut.length}]` };
}

function readResource(reading: Reading, resource: Readonly<Record<string, unknown>>): Piece {
  const { text, blob } = resource;
  const uri = cleanUri(resource['uri']);
  const mimeType = mediaType(resource['mimeType']);
  const labels = mimeType === undefined ? { uri } : { uri, mimeType };
  const head = `resource ${Object.values(labels).join(', ')}`;
  if (typeof text === 'string') {
    const cleaned = clean(text);
    const content = { type: 'resource', resource: { ...labels, text: cleaned } } as const;
    return { text: `[${head}]\n${cleaned}`, content };
  }
  if (typeof blob !== 'string') return textPiece(`[${head}, without contents]`);
  const label = `${head}, ${bytesText(decodedBytes(blob))}`;
  const reason = omittedReason(reading, blob);
  if (reason !== undefined) return leaveOut(reading, blob, `${label}, left out; ${reason}`);
  reading.mediaLeft--;
  return { text: `[${label}]`, content: { type: 'resource', resource: { ...labels, blob } }, isMedia: true };
}

/** Neutralizes a URI. Never truncates it, because the URI identifies the resource. */
function cleanUri(uri: unknown): string {
  return typeof uri === 'string' && uri !== '' ? clean(neutralize(uri)) : 'without a URI';
}

function readLink(part: Readonly<Record<string, unknown>>): Piece {
  const uri = cleanUri(part['uri']);
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

const MAX_KEPT_PARTS = 256;
/** Per result. */
export const MAX_MEDIA = 16;
