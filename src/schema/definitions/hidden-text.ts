import { needsNeutralizing, neutralize } from '../../base/text/safe-text.ts';
import type { Changes } from '../json/json-changes.ts';
import type { Outline } from '../json/outline.ts';

/**
 * Returns whether any text in this definition could hide something. A quick check: false for almost all definitions;
 * true requires a closer look.
 */
export function mayHideText(outline: Outline, json: string): boolean {
  return (
    needsNeutralizing(json, { multiline: true }) ||
    ESCAPES.test(json) ||
    singleLineTexts(outline).some(mayHaveLineBreak)
  );
}

/** Returns the texts that are displayed on one line, where a line break can hide something too. */
function singleLineTexts(outline: Outline): string[] {
  const annotations = outline.find(0, 'annotations');
  const nodes = [outline.find(0, 'title'), outline.find(0, 'name'), annotations && outline.find(annotations, 'title')];
  return nodes.map((node) => (node === undefined ? '' : outline.text(node)));
}

function mayHaveLineBreak(label: string): boolean {
  return label.includes('\\') || needsNeutralizing(label);
}

/**
 * The escapes of the characters that `neutralize` removes, and of a few harmless neighbors. A test compares the two.
 * The pairs that begin with d82f, d834 and db40…db43 are format characters of other planes, tags among them.
 */
const ESCAPES =
  /\\(?:[bfr]|u(?:00[01789aA]|034|061|17[bB]|180|20(?:0[bBeEfF]|2[89a-eA-E]|6)|316|[fF](?:[eE]0|[eE][fF][fF]|[fF][aA]0|[fF][fF])|[dD](?:82[fF]|834|[bB]4)))/;

/** Removes hidden and control characters from every title and description, and changes nothing else. */
export function stripHiddenText(changes: Changes, outline: Outline, key: string): void {
  const cleaned = new Set<string>();
  for (const node of outline.children(0)) {
    if (changes.removed.get(0)?.has(node)) continue;
    const member = outline.key(node);
    if (member !== key && stripMember(changes, outline, { node, name: member.toUpperCase() })) cleaned.add(member);
  }
  if (cleaned.size > 0) changes.repairs.push(`hidden characters were removed from ${[...cleaned].join(', ')}`);
}

/** Strips one member. `name` is in upper case, because some parsers do not distinguish `Title` from `title`. */
function stripMember(changes: Changes, outline: Outline, { node, name }: { node: number; name: string }): boolean {
  switch (name) {
    case 'NAME':
    case 'TITLE':
      return stripText(changes, outline, { node, multiline: false });
    case 'DESCRIPTION':
      return stripText(changes, outline, { node, multiline: true });
    case 'ANNOTATIONS': {
      const titles = outline.children(node).filter((inside) => outline.key(inside).toUpperCase() === 'TITLE');
      return titles.filter((title) => stripText(changes, outline, { node: title, multiline: false })).length > 0;
    }
    case 'INPUTSCHEMA':
    case 'OUTPUTSCHEMA':
    case 'ARGUMENTS':
      return stripSchema(changes, outline, { node, isMap: false });
    default:
      return false;
  }
}

function stripText(changes: Changes, outline: Outline, options: { node: number; multiline: boolean }): boolean {
  const { node, multiline } = options;
  if (!outline.isString(node)) return false;
  const before = String(outline.value(node));
  const after = neutralize(before, { multiline });
  if (after !== before) changes.replaced.set(node, JSON.stringify(after));
  return after !== before;
}

/**
 * Strips a schema at any depth, but not its data: clients send a default or a choice back as it is, whatever the names
 * of its members.
 */
function stripSchema(changes: Changes, outline: Outline, { node, isMap }: { node: number; isMap: boolean }): boolean {
  let found = false;
  for (const inside of outline.children(node)) {
    const key = outline.key(inside);
    if (outline.isString(inside)) {
      const isShown = TEXTS.has(key.toUpperCase());
      if (isShown && stripText(changes, outline, { node: inside, multiline: true })) found = true;
    } else if (isMap || !DATA.has(key)) {
      if (stripSchema(changes, outline, { node: inside, isMap: !isMap && MAPS.has(key) })) found = true;
    }
  }
  return found;
}

const TEXTS = new Set(['TITLE', 'DESCRIPTION']);
const DATA = new Set(['default', 'const', 'enum', 'examples']);
/** Keywords whose members have names that the author chose, even one like `default`. */
const MAPS = new Set(['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas', 'dependencies']);
