import { wellFormedJson } from '../../wire/json/well-formed-json.ts';
import { Outline } from '../json/outline.ts';
import { eachValue } from '../json/walk-values.ts';
import type { Rewrite } from './profile.ts';

/**
 * Lists the lone surrogates in a schema. A single one, even in a value that is never used, makes Codex drop the whole
 * answer.
 */
export function tellHalves(json: string): Rewrite[] {
  if (wellFormedJson(json) === json) return [];
  const outline = new Outline(Buffer.from(json.trimStart()));
  outline.read(0);
  const paths: string[] = [];
  for (const { node, path } of outline.excess === undefined ? eachValue(outline) : []) {
    const isInside = outline.isObject(node) || outline.isList(node);
    const text = JSON.stringify(outline.key(node)) + (isInside ? '' : outline.text(node));
    if (wellFormedJson(text) !== text) paths.push(wellFormedJson(JSON.stringify(path)).slice(1, -1));
  }
  const told = paths.slice(0, MAX_TOLD);
  if (paths.length !== told.length || told.length === 0) told.push('');
  return told.map((path) => ({ path, what: 'half a character became \ufffd', why: LOST, isNarrowing: false }));
}

const MAX_TOLD = 20;
const LOST = 'no text can hold it, and Codex loses the whole server';
