import { isDeepStrictEqual } from 'node:util';
import { AppError } from '../../../base/errors.ts';
import { formatLocation } from '../../../config/problem.ts';
import { isObject } from '../../../wire/messages.ts';

/** How to read and change the text of a client's config. */
export interface DocumentFormat {
  /** Text of a file without content. */
  readonly empty: string;
  /** Returns the content. Throws CONFIG_INVALID with the line if the text is broken. */
  parse(text: string, file: string): Readonly<Record<string, unknown>>;
  /** Sets the value at a path, and keeps every other character. May return wrong text: see `changeDocument`. */
  set(text: string, path: readonly string[], value: unknown): string;
  remove(text: string, path: readonly string[]): string;
}

/** A text together with its content. */
export interface ClientDocument {
  readonly file: string;
  readonly format: DocumentFormat;
  readonly text: string;
  readonly content: Readonly<Record<string, unknown>>;
}

export function openDocument(text: string, { file, format }: Pick<ClientDocument, 'file' | 'format'>): ClientDocument {
  const isEmpty = text.replace('\ufeff', '').trim() === '';
  const usable = isEmpty ? format.empty : text;
  return { file, format, text: usable, content: format.parse(usable, file) };
}

/**
 * Sets the value at a path, or removes it with undefined. Throws if the new text would differ in anything else, so that
 * an unusual notation never damages a client's file.
 */
export function changeDocument(document: ClientDocument, path: readonly string[], value: unknown): ClientDocument {
  const { file, format, text, content } = document;
  const expected = changedContent(content, path, value);
  if (isDeepStrictEqual(expected, content)) return document;
  const changed = value === undefined ? format.remove(text, path) : format.set(text, path, value);
  const parsed = parseQuietly(changed, document);
  // TOML has no empty objects: the last table below a key takes the key with it.
  const possible = [expected, withoutEmptyObjects(expected, path)];
  if (parsed !== undefined && possible.some((one) => isDeepStrictEqual(parsed, one)))
    return { ...document, text: changed, content: parsed };
  throw new AppError(
    'CONFIG_INVALID',
    `${formatLocation(file, 0)}: "${path.join('.')}" cannot be changed without changing other parts of the file. Nothing was written. Change it by hand.`,
    { data: { file, line: 0 } },
  );
}

/** Returns the value at a path; undefined if there is none. */
export function valueAt(content: unknown, path: readonly string[]): unknown {
  let value = content;
  for (const key of path) value = isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
  return value;
}

function withoutEmptyObjects(
  content: Readonly<Record<string, unknown>>,
  [key = '', ...rest]: readonly string[],
): Readonly<Record<string, unknown>> {
  const { [key]: value, ...others } = content;
  if (!isObject(value)) return content;
  const inner = withoutEmptyObjects(value, rest);
  return Object.keys(inner).length === 0 ? others : { ...content, [key]: inner };
}

function parseQuietly(text: string, { file, format }: ClientDocument): ClientDocument['content'] | undefined {
  try {
    return format.parse(text, file);
  } catch {
    // The text is not written, and the caller explains why.
    return undefined;
  }
}

function changedContent(
  content: Readonly<Record<string, unknown>>,
  [key = '', ...rest]: readonly string[],
  value: unknown,
): Readonly<Record<string, unknown>> {
  const { [key]: before, ...others } = content;
  if (rest.length > 0) {
    if (value === undefined && !isObject(before)) return content;
    return { ...content, [key]: changedContent(isObject(before) ? before : {}, rest, value) };
  }
  return value === undefined ? others : { ...content, [key]: value };
}
