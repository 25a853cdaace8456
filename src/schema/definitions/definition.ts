import { needsNeutralizing, neutralize, oneLine } from '../../base/text/safe-text.ts';
import type { Span } from '../../wire/json/json-text.ts';
import { skipSpace } from '../../wire/json/scan.ts';
import { type Changes, createChanges, removeNodes, toEdits } from '../json/json-changes.ts';
import { Outline } from '../json/outline.ts';
import { writeEdited, writeUnchanged } from '../json/write-json.ts';
import { type DefinitionKind, KINDS, type KindRules } from './definition-kinds.ts';
import { mayHideText, stripHiddenText } from './hidden-text.ts';
import { repairObject } from './repair.ts';

/** One tool, prompt, resource or template as its server wrote it: byte for byte, except for the repairs. */
export interface Definition {
  readonly kind: 'definition';
  /** The exact identifier that its server uses: a name, a URI or a URI template. */
  readonly key: string;
  /** The whole definition as JSON on one line, with its own key. */
  readonly json: string;
  /** The spans of the key in `json`, one for each occurrence. */
  readonly keySpans: readonly Span[];
  /** The necessary changes, in short sentences. */
  readonly repairs: readonly string[];
  /** The hints in a tool's annotations; false if absent. */
  readonly hints: { readonly readOnly: boolean; readonly idempotent: boolean };
}

/** A definition that cannot be offered to any client, and the reason. */
export interface Quarantined {
  readonly kind: 'quarantined';
  /** Safe to display; undefined if it has none. */
  readonly name: string | undefined;
  readonly reason: string;
}

/** Reads the bytes of one definition. Never throws: every input is accepted, repaired or refused with a reason. */
export function readDefinition(kind: DefinitionKind, bytes: Buffer): Definition | Quarantined {
  const outline = new Outline(bytes);
  const end = outline.read(skipSpace(bytes, 0));
  const isWhole =
    skipSpace(bytes, end) === bytes.length && (outline.limitExceeded !== undefined || outline.value(0) !== undefined);
  return isWhole ? toDefinition(kind, outline) : quarantine(undefined, 'it is not valid JSON');
}

/** Returns the definition as JSON text with another key. */
export function withKey({ json, keySpans }: Definition, key: string): string {
  const written = JSON.stringify(key);
  let text = '';
  let from = 0;
  for (const { start, end } of keySpans) {
    text += json.slice(from, start) + written;
    from = end;
  }
  return text + json.slice(from);
}

/** Converts the value that an outline has just read. Only for text that `JSON.parse` accepts. */
export function toDefinition(kind: DefinitionKind, outline: Outline): Definition | Quarantined {
  const rules = KINDS[kind];
  const keyNode = outline.find(0, rules.key);
  const key = keyNode === undefined ? undefined : outline.value(keyNode);
  if (outline.limitExceeded !== undefined) return quarantine(key, `it ${outline.limitExceeded}`);
  if (!outline.isObject(0)) return quarantine(undefined, 'it is not an object');
  if (key === undefined) return quarantine(undefined, `it has no ${rules.key}`);
  if (typeof key !== 'string') return quarantine(undefined, `its ${rules.key} is not text`);
  if (key.length > rules.maxKeyLength) {
    return quarantine(key, `its ${rules.key} is longer than ${rules.maxKeyLength} characters`);
  }
  if (!VISIBLE.test(neutralize(key))) return quarantine(undefined, `its ${rules.key} is empty`);

  const changes = createChanges();
  repairObject(changes, { outline, node: 0, prefix: '' }, rules.shape);
  const keys = findKeys(changes, outline, rules);
  if (rules.key !== 'name') ensureName(changes, outline, key);
  else if (needsNeutralizing(key)) changes.repairs.push('hidden characters are removed from the displayed name');
  const text = outline.text(0);
  if (mayHideText(outline, text)) stripHiddenText(changes, outline, rules.key);
  const edits = toEdits(outline, changes);
  const { json, marks } = edits.length === 0 ? writeUnchanged(outline, text, keys) : writeEdited(outline, edits, keys);
  return {
    kind: 'definition',
    key,
    json,
    keySpans: marks,
    repairs: limitRepairs(changes.repairs),
    hints: readHints(outline),
  };
}

/** Anything but whitespace and joiners. */
const VISIBLE = /[^\s\u200c\u200d]/;

export function quarantine(name: unknown, reason: string): Quarantined {
  const shown = typeof name === 'string' ? displayName(name) : '';
  return { kind: 'quarantined', name: shown === '' ? undefined : shown, reason };
}

/** Formats a key for messages. */
export function displayName(key: string): string {
  return oneLine(key, MAX_DISPLAY_LENGTH);
}

const MAX_DISPLAY_LENGTH = 100;

/**
 * Returns every occurrence of the key. Some parsers do not distinguish `NAME` from `name`: with such a second member, a
 * tool could be listed under a name that belongs to another.
 */
function findKeys(changes: Changes, outline: Outline, rules: KindRules): number[] {
  return outline.findIgnoringCase(0, rules.key).filter((node) => {
    const key = outline.key(node);
    if (key === rules.key) return true;
    removeNodes(changes, 0, [node]);
    changes.repairs.push(`${key} could be taken for ${rules.key} and is left out`);
    return false;
  });
}

/** Adds a missing name. A resource must have one, although clients identify it by its URI. */
function ensureName(changes: Changes, outline: Outline, key: string): void {
  const name = outline.find(0, 'name');
  if (name !== undefined && outline.isString(name)) return;
  removeNodes(changes, 0, outline.findAll(0, 'name'));
  changes.added.set(0, `"name":${JSON.stringify(neutralize(key))}`);
  changes.repairs.push(`name was ${name === undefined ? 'missing' : 'not text'}; the URI is used instead`);
}

/** Limits the report about a server that does everything wrong. */
function limitRepairs(repairs: readonly string[]): readonly string[] {
  if (repairs.length <= MAX_REPAIRS) return repairs;
  return [...repairs.slice(0, MAX_REPAIRS), `and ${repairs.length - MAX_REPAIRS} more repairs`];
}

const MAX_REPAIRS = 20;

/** Returns whether the server declares that running the tool twice does no harm. */
export function isSafeToRepeat({ hints }: Definition): boolean {
  return hints.readOnly || hints.idempotent;
}

function readHints(outline: Outline): Definition['hints'] {
  const annotations = outline.find(0, 'annotations');
  const isTrue = (hint: string) => {
    const node = annotations === undefined ? undefined : outline.find(annotations, hint);
    return node !== undefined && outline.isTrue(node);
  };
  return { readOnly: isTrue('readOnlyHint'), idempotent: isTrue('idempotentHint') };
}
