import { type Member, readMembers, valueEnd } from '../../wire/json/json-text.ts';
import { blankOnlyComments } from '../json/comments.ts';
import {
  formatJson,
  indentOf,
  lineIndent,
  lineStart,
  skipBlanks,
  skipTrailingComments,
  type TextStyle,
} from './text-layout.ts';

/**
 * Changes one member of a JSON text with comments and leaves every other character as it is: order, indentation, line
 * endings, and each comment beside the member that it describes. Only for text that was parsed and whose root is an
 * object.
 */

/** Sets the value at a path of keys. Creates missing objects on the way. */
export function setMember(text: string, path: readonly string[], value: unknown): string {
  const editable = parseEditableText(text);
  let object = editable.code.search(/\S/);
  for (const [index, key] of path.entries()) {
    const rest = path.slice(index + 1);
    const wrapped = rest.reduceRight((inner: unknown, name) => ({ [name]: inner }), value);
    const member = findMember(editable, object, key);
    if (member === undefined) return insertMember(editable, object, { key, value: wrapped });
    if (rest.length === 0 || editable.code[member.start] !== '{') return replaceValue(editable, member, wrapped);
    object = member.start;
  }
  return text;
}

/** Removes the member at a path, with its line and a comment at the end of that line; other comments stay. */
export function removeMember(text: string, path: readonly string[]): string {
  const editable = parseEditableText(text);
  const found = findMemberAt(editable, path);
  return found === undefined ? text : applyEdits(text, removalEdits(editable, found.object, found.member));
}

/** Renames the member at a path. Keeps its position, its value and its comments. */
export function renameMember(text: string, path: readonly string[], key: string): string {
  const found = findMemberAt(parseEditableText(text), path);
  if (found === undefined) return text;
  const { keyStart } = found.member;
  const written = KEY.exec(text.slice(keyStart))?.[0] ?? '';
  return applyEdits(text, [{ from: keyStart, to: keyStart + written.length, text: JSON.stringify(key) }]);
}

const KEY = /^"(?:[^"\\]|\\.)*"/;

interface EditableText {
  readonly text: string;
  /** The text with comments replaced by blanks. */
  readonly code: string;
  readonly style: TextStyle;
}

interface Edit {
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

function parseEditableText(text: string): EditableText {
  const code = blankOnlyComments(text);
  const [first] = readMembers(code, code.search(/\S/));
  const unit = first === undefined ? undefined : indentOf(text, first.keyStart);
  const eol = /\r\n|\n|\r/.exec(text)?.[0] ?? '\n';
  return { text, code, style: { eol, unit: unit === undefined || unit === '' ? '  ' : unit } };
}

/** Finds the member at a path, and the object that contains it. */
function findMemberAt(
  editable: EditableText,
  path: readonly string[],
): { readonly object: number; readonly member: Member } | undefined {
  let object = editable.code.search(/\S/);
  for (const key of path.slice(0, -1)) {
    const member = findMember(editable, object, key);
    if (member === undefined || editable.code[member.start] !== '{') return undefined;
    object = member.start;
  }
  const member = findMember(editable, object, path.at(-1) ?? '');
  return member === undefined ? undefined : { object, member };
}

/** Finds a member by key. The last of several with the same key counts. */
function findMember({ code }: EditableText, object: number, key: string): Member | undefined {
  return readMembers(code, object).findLast((member) => member.key === key);
}

function replaceValue({ text, style }: EditableText, { keyStart, start, end }: Member, value: unknown): string {
  return applyEdits(text, [{ from: start, to: end, text: formatJson(value, style, indentOf(text, keyStart)) }]);
}

function insertMember(
  editable: EditableText,
  object: number,
  member: { readonly key: string; readonly value: unknown },
): string {
  const { text, code, style } = editable;
  const close = valueEnd(code, object) - 1;
  const last = readMembers(code, object).at(-1);
  const lastEnd = last?.end;
  const comma = lastEnd === undefined ? undefined : commaAfter(code, lastEnd);
  const separator = lastEnd === undefined || comma !== undefined ? [] : [{ from: lastEnd, to: lastEnd, text: ',' }];
  const write = (indent: string | undefined) =>
    `${JSON.stringify(member.key)}: ${formatJson(member.value, style, indent)}`;
  if (last === undefined ? !isOnOwnLine(text, object) : !/[\r\n]/.test(text.slice(object, close))) {
    // After any comment, which belongs to the text before it.
    const at = object + 1 + text.slice(object + 1, close).trimEnd().length;
    const isEmptyObject = at === close && last === undefined;
    return applyEdits(text, [
      ...separator,
      { from: at, to: at, text: ` ${write(undefined)}${isEmptyObject ? ' ' : ''}` },
    ]);
  }
  const at = skipTrailingComments(text, comma === undefined ? (lastEnd ?? object + 1) : comma + 1);
  const outer = lineIndent(text, object);
  const indent = (last === undefined ? undefined : indentOf(text, last.keyStart)) ?? outer + style.unit;
  const written = `${style.eol}${indent}${write(indent)}${comma === undefined ? '' : ','}`;
  const closes = skipBlanks(text, at) === close;
  const edit = { from: at, to: closes ? close : at, text: closes ? `${written}${style.eol}${outer}` : written };
  return applyEdits(text, [...separator, edit]);
}

/** Returns whether an object begins its line, alone or after its key: then its members may have their own lines. */
function isOnOwnLine(text: string, object: number): boolean {
  return /^[ \t]*(?:"(?:[^"\\]|\\.)*"[ \t]*:[ \t]*)?$/.test(text.slice(lineStart(text, object), object));
}

function commaAfter(code: string, end: number): number | undefined {
  const at = code.slice(end).search(/\S/) + end;
  return code[at] === ',' ? at : undefined;
}

function removalEdits({ text, code }: EditableText, object: number, member: Member): readonly Edit[] {
  const members = readMembers(code, object);
  const previous = members[members.findIndex(({ keyStart }) => keyStart === member.keyStart) - 1];
  const comma = commaAfter(code, member.end);
  const span = removedSpan(text, member, comma);
  // If no comma follows the member, the comma before it would be left over.
  const [other, isOutside] =
    comma === undefined ? [previous && commaAfter(code, previous.end), true] : [comma, comma >= span.to];
  const commaEdit = other === undefined || !isOutside ? [] : [{ from: other, to: other + 1, text: '' }];
  return [{ ...span, text: '' }, ...commaEdit];
}

/** Returns the range to remove: the member's whole lines, if it shares them with nothing else. */
function removedSpan(
  text: string,
  { keyStart, end }: Member,
  comma: number | undefined,
): { readonly from: number; readonly to: number } {
  const lineEnd = skipBlanks(text, skipTrailingComments(text, end));
  const lineBreak = /^(?:\r\n|\n|\r)/.exec(text.slice(lineEnd, lineEnd + 2))?.[0];
  if (lineBreak !== undefined && indentOf(text, keyStart) !== undefined)
    return { from: lineStart(text, keyStart), to: lineEnd + lineBreak.length };
  // A comment before the comma stays, and the comma is removed separately.
  const to = comma !== undefined && skipBlanks(text, end) === comma ? comma + 1 : end;
  return { from: keyStart, to: skipBlanks(text, to) };
}

function applyEdits(text: string, edits: readonly Edit[]): string {
  let changed = text;
  // Applied from the end, so that earlier offsets stay valid. Of two edits at one offset, the first in the list comes
  // first.
  for (const { from, to, text: put } of edits.toReversed().sort((a, b) => b.from - a.from))
    changed = changed.slice(0, from) + put + changed.slice(to);
  return changed;
}
