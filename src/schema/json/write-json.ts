import type { Span } from '../../wire/json/json-text.ts';
import type { Edit } from './json-changes.ts';
import type { Outline } from './outline.ts';

export interface Written {
  readonly json: string;
  /** Spans of the marked nodes in `json`. */
  readonly marks: readonly Span[];
}

/**
 * Writes the outlined value with the edits applied, on one line: a line break between two members means nothing in
 * JSON, but would end a message. A marked node must be outside every edit.
 */
export function writeEdited(outline: Outline, edits: readonly Edit[], marked: readonly number[]): Written {
  const { bytes } = outline;
  const marks: Span[] = [];
  const stops: Stop[] = edits.map((edit) => ({ ...edit, isMark: false }));
  for (const node of marked) stops.push({ start: outline.start(node), end: outline.end(node), isMark: true });
  stops.sort((a, b) => a.start - b.start || a.end - b.end);
  let json = '';
  let from = outline.start(0);
  for (const { start, end, text = bytes.toString('utf8', start, end), isMark } of stops) {
    json += bytes.toString('utf8', from, start);
    if (isMark) marks.push({ start: json.length, end: json.length + text.length });
    json += text;
    from = end;
  }
  json += bytes.toString('utf8', from, outline.end(0));
  return { json: onOneLine(json), marks };
}

interface Stop extends Omit<Edit, 'text'> {
  readonly text?: string;
  readonly isMark: boolean;
}

/** Writes the value without edits, and copies nothing. `json` is the text of the outlined value. */
export function writeUnchanged(outline: Outline, json: string, marked: readonly number[]): Written {
  const from = outline.start(0);
  const isAscii = json.length === outline.end(0) - from;
  const marks = marked.map((node) => {
    const start = isAscii
      ? outline.start(node) - from
      : outline.bytes.toString('utf8', from, outline.start(node)).length;
    const end = start + (isAscii ? outline.end(node) - outline.start(node) : outline.text(node).length);
    return { start, end };
  });
  return { json: onOneLine(json), marks };
}

function onOneLine(json: string): string {
  return json.includes('\n') || json.includes('\r') ? json.replace(/[\r\n]/g, ' ') : json;
}
