import { isDeepStrictEqual } from 'node:util';
import { isObject } from '../../wire/messages.ts';
import { type ClientDocument, changeDocument, valueAt } from './format/document-format.ts';

/** A change of a client's config that `disconnect` can undo, also after other changes of the file. */
export type Edit =
  /** Adds a server. `previous` is the server of that name that it replaces. */
  | { readonly kind: 'entry'; readonly path: readonly string[]; readonly value: unknown; readonly previous?: unknown }
  /** Turns one of the client's own servers off by its own switch. */
  | { readonly kind: 'switch'; readonly path: readonly string[]; readonly value: unknown; readonly previous?: unknown }
  /** Adds a name to a list. */
  | { readonly kind: 'listed'; readonly path: readonly string[]; readonly item: string }
  /** Removes a server of a client that has no such switch. Its value is kept here. */
  | { readonly kind: 'moved'; readonly path: readonly string[]; readonly value: unknown };

export interface AppliedEdits {
  readonly document: ClientDocument;
  /** With the values that the edits replaced. */
  readonly edits: readonly Edit[];
  /** Objects and lists that did not exist before. */
  readonly containers: readonly (readonly string[])[];
}

/** Applies edits in order. Throws if one of them cannot be made without side effects. */
export function applyEdits(document: ClientDocument, edits: readonly Edit[]): AppliedEdits {
  const containers: (readonly string[])[] = [];
  const applied: Edit[] = [];
  let current = document;
  for (const edit of edits) {
    const parents = edit.path.map((_, length) => edit.path.slice(0, length)).slice(1);
    const all = edit.kind === 'listed' ? [...parents, edit.path] : parents;
    containers.push(...all.filter((path) => valueAt(current.content, path) === undefined));
    applied.push(withPrevious(edit, valueAt(current.content, edit.path)));
    current = changeDocument(current, edit.path, valueAfter(edit, valueAt(current.content, edit.path)));
  }
  return { document: current, edits: applied, containers };
}

/** Undoes edits as far as they are still in effect, and keeps everything that changed since. */
export function undoEdits(
  document: ClientDocument,
  { edits, containers }: Pick<AppliedEdits, 'edits' | 'containers'>,
): ClientDocument {
  let current = document;
  for (const edit of edits.toReversed()) {
    const now = valueAt(current.content, edit.path);
    const isParentThere = isObject(valueAt(current.content, edit.path.slice(0, -1)));
    if (edit.kind === 'moved') {
      // The client may have added a server of this name itself.
      if (now === undefined) current = changeDocument(current, edit.path, edit.value);
    } else if (isParentThere && now !== undefined) current = changeDocument(current, edit.path, valueBefore(edit, now));
  }
  for (const path of containers.toReversed()) {
    const value = valueAt(current.content, path);
    const isEmpty = Array.isArray(value) ? value.length === 0 : isObject(value) && Object.keys(value).length === 0;
    if (isEmpty) current = changeDocument(current, path, undefined);
  }
  return current;
}

/** Returns whether an edit is in effect. */
export function isApplied(content: unknown, edit: Edit): boolean {
  const now = valueAt(content, edit.path);
  return isDeepStrictEqual(now, valueAfter(edit, now));
}

/** Returns whether two edits change the same part of a config in the same way. */
export function isSameEdit(one: Edit, other: Edit): boolean {
  const item = (edit: Edit) => (edit.kind === 'listed' ? edit.item : undefined);
  return one.kind === other.kind && isDeepStrictEqual(one.path, other.path) && item(one) === item(other);
}

function valueAfter(edit: Edit, now: unknown): unknown {
  switch (edit.kind) {
    case 'entry':
    case 'switch':
      return edit.value;
    case 'listed': {
      const items: readonly unknown[] = Array.isArray(now) ? now : [];
      return items.includes(edit.item) ? items : [...items, edit.item];
    }
    case 'moved':
      return undefined;
  }
}

/** Returns the value that an edit replaced. A switch that was changed since then stays. */
function valueBefore(edit: Exclude<Edit, { kind: 'moved' }>, now: unknown): unknown {
  switch (edit.kind) {
    case 'entry':
      return edit.previous;
    case 'switch':
      return isDeepStrictEqual(now, edit.value) ? edit.previous : now;
    case 'listed':
      return Array.isArray(now) ? now.filter((item) => item !== edit.item) : now;
  }
}

function withPrevious(edit: Edit, now: unknown): Edit {
  switch (edit.kind) {
    case 'entry':
    case 'switch':
      return now === undefined ? edit : { ...edit, previous: now };
    case 'listed':
      return edit;
    case 'moved':
      return { ...edit, value: now };
  }
}
