import { Outline } from '../outline.ts';
import { eachValue } from './each-value.ts';
import type { Rewrite } from './profile.ts';

/**
 * The same JSON without halves of characters, which JSON can escape and no other text can hold: for a single one, even
 * in a value that nobody reads, Codex gives up the whole answer. Nearly always there is nothing to do.
 */
export function mendHalves(json: string): string {
  if (!mayHaveHalves(json)) return json;
  return json.replace(ESCAPE, (found) => (found.length === HALF_LENGTH ? '\ufffd' : found));
}

/** A quick no for almost all; a yes means look. */
export function mayHaveHalves(json: string): boolean {
  return json.includes('\\u') && SURROGATE.test(json);
}

const SURROGATE = /\\u[dD][89a-fA-F]/;
/** A pair is one character. Other escapes too, so that what follows a backslash of the text is not taken for one. */
const ESCAPE = /\\u[dD][89abAB]..\\u[dD][c-fC-F]..|\\u[dD][89a-fA-F]..|\\./g;
const HALF_LENGTH = '\\ud800'.length;

/** Where they stand. */
export function tellHalves(json: string): Rewrite[] {
  if (mendHalves(json) === json) return [];
  const outline = new Outline(Buffer.from(json.trimStart()));
  outline.read(0);
  const paths: string[] = [];
  for (const { node, path } of outline.excess === undefined ? eachValue(outline) : []) {
    const isInside = outline.isObject(node) || outline.isList(node);
    const text = JSON.stringify(outline.key(node)) + (isInside ? '' : outline.text(node));
    if (mendHalves(text) !== text) paths.push(mendHalves(JSON.stringify(path)).slice(1, -1));
  }
  const told = paths.slice(0, MAX_TOLD);
  if (paths.length !== told.length || told.length === 0) told.push('');
  return told.map((path) => ({ path, what: 'half a character became \ufffd', why: LOST, isNarrowing: false }));
}

const MAX_TOLD = 20;
const LOST = 'no text can hold it, and Codex loses the whole server';
