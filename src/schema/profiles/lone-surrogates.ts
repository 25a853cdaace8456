import { wellFormedJson } from '../../wire/json/well-formed-json.ts';
import { Outline } from '../json/outline.ts';
import { walkValues } from '../json/walk-values.ts';
import type { Rewrite } from './profile.ts';

/**
 * Lists the lone surrogates in a schema. A single one, even in a value that is never used, makes Codex drop the whole
 * response.
 */
export function reportLoneSurrogates(json: string): Rewrite[] {
  if (wellFormedJson(json) === json) return [];
  const outline = new Outline(Buffer.from(json.trimStart()));
  outline.read(0);
  const paths: string[] = [];
  for (const { node, path } of outline.limitExceeded === undefined ? walkValues(outline) : []) {
    const isInside = outline.isObject(node) || outline.isList(node);
    const text = JSON.stringify(outline.key(node)) + (isInside ? '' : outline.text(node));
    if (wellFormedJson(text) !== text) paths.push(wellFormedJson(JSON.stringify(path)).slice(1, -1));
  }
  const reported = paths.slice(0, MAX_REPORTED);
  if (paths.length !== reported.length || reported.length === 0) reported.push('');
  return reported.map((path) => ({
    path,
    what: 'a lone surrogate became \ufffd',
    why: SERVER_LOST,
    isNarrowing: false,
  }));
}

const MAX_REPORTED = 20;
const SERVER_LOST = 'text cannot contain it, and Codex loses the whole server';
