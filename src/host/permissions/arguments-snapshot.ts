import { AppError, messageOf } from '../../base/errors.ts';
import { oneLine } from '../../base/text/safe-text.ts';
import { definitionHash } from '../../schema/differences/difference.ts';
import { Outline } from '../../schema/json/outline.ts';
import { RawJson } from '../../wire/messages.ts';
import { escapeInvisibleLines, truncate } from './escaped-text.ts';

/**
 * The arguments of one call, copied once: rules, confirmation and memory see the same value even if the caller mutates
 * it.
 */
export interface ArgumentsSnapshot {
  /** A copy. */
  readonly value: unknown;
  /** JSON on one line. */
  readonly json: string;
}

/**
 * Copies the arguments. Throws `BAD_ARGUMENTS` for values that JSON cannot express, such as cycles. Uses `RawJson`
 * unchanged.
 */
export function snapshotArguments(written: unknown): ArgumentsSnapshot {
  try {
    const json = written instanceof RawJson ? written.json : (JSON.stringify(written) ?? 'null');
    return { value: JSON.parse(json), json };
  } catch (error) {
    const why = oneLine(messageOf(error), 200);
    throw new AppError('BAD_ARGUMENTS', `its arguments cannot be written as JSON: ${why}`, { cause: error });
  }
}

/** Returns a digest that is equal for all equivalent arguments and does not reveal them. */
export function argumentsDigest({ json }: ArgumentsSnapshot): string {
  return definitionHash(json);
}

/**
 * Formats the arguments for a person: JSON in which every invisible character appears as its escape. Truncates after 4
 * KiB and states how much is missing.
 */
export function argumentsText({ json }: ArgumentsSnapshot): string {
  const outline = new Outline(Buffer.from(json));
  outline.read(0);
  // Indenting deeply nested JSON would turn kilobytes into megabytes.
  const isDeep = outline.limitExceeded !== undefined;
  const text = isDeep ? json : indent(outline, { scalarText: (node) => outline.text(node) });
  if (text.length <= MAX_DISPLAYED) return escapeInvisibleLines(text);
  // One long string must not push the rest out of sight.
  const short = isDeep ? text : indent(outline, { scalarText: (node) => shortText(outline, node) });
  if (short.length <= MAX_DISPLAYED) return escapeInvisibleLines(short);
  const displayed = truncate(text, MAX_DISPLAYED);
  return `${escapeInvisibleLines(displayed)}\n[${text.length - displayed.length} more characters are not shown]`;
}

const MAX_DISPLAYED = 4 * 1024;
/** Limit per string, when the arguments are too long to show in full. */
const MAX_TEXT = 256;

interface Indenting {
  readonly node?: number;
  readonly margin?: string;
  readonly scalarText: (node: number) => string;
}

/** Formats as `JSON.stringify` does, but keeps every number as it is written, because the call sends it that way. */
function indent(outline: Outline, { node = 0, margin = '', scalarText }: Indenting): string {
  const isObject = outline.isObject(node);
  if (!isObject && !outline.isList(node)) return scalarText(node);
  const inner = `${margin}  `;
  const lines = outline.children(node).map((inside) => {
    const key = isObject ? `${JSON.stringify(outline.key(inside))}: ` : '';
    return `${inner}${key}${indent(outline, { node: inside, margin: inner, scalarText })}`;
  });
  const body = lines.length === 0 ? '' : `\n${lines.join(',\n')}\n${margin}`;
  return isObject ? `{${body}}` : `[${body}]`;
}

function shortText(outline: Outline, node: number): string {
  const value = outline.isString(node) ? outline.value(node) : undefined;
  if (typeof value !== 'string' || value.length <= MAX_TEXT) return outline.text(node);
  const displayed = truncate(value, MAX_TEXT);
  return JSON.stringify(`${displayed} [${value.length - displayed.length} more characters are not shown]`);
}
