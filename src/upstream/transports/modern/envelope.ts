import { AppError } from '../../../base/errors.ts';
import { scanMembers } from '../../../wire/json/scan.ts';
import {
  type OutgoingMessage,
  outgoingBytes,
  type Replacement,
  replaceSpans,
  type Spliced,
} from '../../../wire/json/splice.ts';

/** A request as bytes, with the position of its params. */
export interface ParsedRequest {
  readonly bytes: Buffer;
  /** Range of the params in `bytes`; undefined if there are none. */
  readonly params: { readonly start: number; readonly end: number } | undefined;
}

export function parseRequest(message: OutgoingMessage): ParsedRequest {
  const bytes = outgoingBytes(message);
  const params = scanMembers(bytes)?.findLast(({ key }) => key === 'params');
  return { bytes, params };
}

/** Members to insert into a request, as JSON text. */
export interface Additions {
  /** Id that replaces the original one. */
  readonly idText?: string | undefined;
  /** Members of `params._meta`, without the braces. */
  readonly meta: string;
  /** Members of `params`, without the braces. */
  readonly params?: string | undefined;
}

/** Inserts members and leaves every other byte unchanged. Ours come last: parsers keep the last of duplicate names. */
export function addMembers(
  { bytes, params }: ParsedRequest,
  { idText, meta, params: extraParams }: Additions,
): Spliced {
  const edits: Replacement[] = [];
  if (idText !== undefined) {
    const id = scanMembers(bytes)?.findLast(({ key }) => key === 'id');
    if (id !== undefined) edits.push({ start: id.start, end: id.end, text: idText });
  }
  const added = extraParams === undefined ? '' : `,${extraParams}`;
  if (params === undefined) {
    const end = bytes.lastIndexOf(CLOSE_BRACE);
    edits.push({ start: end, end, text: `,"params":{"_meta":{${meta}}${added}}` });
    return replaceInOrder(bytes, edits);
  }
  const members = scanMembers(bytes, params.start, params.end);
  if (members === undefined) throw new AppError('INVALID_PARAMS', 'params must be an object.');
  const old = members.findLast(({ key }) => key === '_meta');
  const inside = old === undefined ? undefined : scanMembers(bytes, old.start, old.end);
  const before = params.end - 1;
  if (old !== undefined && inside !== undefined) {
    const end = old.end - 1;
    edits.push({ start: end, end, text: inside.length === 0 ? meta : `,${meta}` });
    if (added !== '') edits.push({ start: before, end: before, text: added });
  } else {
    edits.push({ start: before, end: before, text: `${members.length === 0 ? '' : ','}"_meta":{${meta}}${added}` });
  }
  return replaceInOrder(bytes, edits);
}

function replaceInOrder(bytes: Buffer, edits: readonly Replacement[]): Spliced {
  return replaceSpans(
    bytes,
    edits.toSorted((a, b) => a.start - b.start),
  );
}

const CLOSE_BRACE = 125;
