import { AppError, messageOf } from '../../base/errors.ts';
import { oneLine } from '../../base/text/safe-text.ts';
import { definitionHash } from '../../schema/differences/difference.ts';
import { Outline } from '../../schema/json/outline.ts';
import { RawJson } from '../../wire/messages.ts';
import { escapeInvisibleLines, truncate } from './escaped-text.ts';

/** The arguments of one call, taken once: what is judged, shown and remembered is the same, whoever changes them meanwhile. */
export interface ArgumentsSnapshot {
  /** A copy. */
  readonly value: unknown;
  /** As JSON, on one line. */
  readonly json: string;
}

/** Throws `BAD_ARGUMENTS` for what JSON cannot say, like a circle. What is serialised already is taken at its word. */
export function snapshotArguments(written: unknown): ArgumentsSnapshot {
  try {
    const json = written instanceof RawJson ? written.json : (JSON.stringify(written) ?? 'null');
    return { value: JSON.parse(json), json };
  } catch (error) {
    const why = oneLine(messageOf(error), 200);
    throw new AppError('BAD_ARGUMENTS', `its arguments cannot be written as JSON: ${why}`, { cause: error });
  }
}

/** The same for all arguments that mean the same, and it does not tell what they are. */
export function argumentsDigest({ json }: ArgumentsSnapshot): string {
  return definitionHash(json);
}

/**
 * For a person: JSON in which nothing is hidden, because a character that cannot be seen stands there as its escape.
 * Cut after 4 KiB, with a word about how much is missing.
 */
export function argumentsText({ json }: ArgumentsSnapshot): string {
  const outline = new Outline(Buffer.from(json));
  outline.read(0);
  // Indenting what is nested without end would make megabytes out of kilobytes.
  const isDeep = outline.limitExceeded !== undefined;
  const text = isDeep ? json : indent(outline, { scalarText: (node) => outline.text(node) });
  if (text.length <= MAX_DISPLAYED) return escapeInvisibleLines(text);
  // One long text must not push the rest out of sight.
  const short = isDeep ? text : indent(outline, { scalarText: (node) => shortText(outline, node) });
  if (short.length <= MAX_DISPLAYED) return escapeInvisibleLines(short);
  const displayed = truncate(text, MAX_DISPLAYED);
  return `${escapeInvisibleLines(displayed)}\n[${text.length - displayed.length} more characters are not shown]`;
}

const MAX_DISPLAYED = 4 * 1024;
/** Of one text among the arguments, when there is too much to show. */
const MAX_TEXT = 256;

interface Indenting {
  readonly node?: number;
  readonly margin?: string;
  readonly scalarText: (node: number) => string;
}

/** As `JSON.stringify` does it, but with every number as it is written: that is how it is sent. */
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
