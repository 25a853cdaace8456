import { escapeInvisible } from '../../base/text/visible-text.ts';

/**
 * JSON text laid out for a person, each level indented by this; without an indent all of it stands on one line. Numbers
 * and strings stay as they are written, for `1e400` and `1.0` would not survive a parser; only what cannot be seen is
 * escaped. For valid JSON only.
 */
export function formatJson(json: string, indent: string): string {
  let text = '';
  let depth = 0;
  const lineBreak = () => (indent === '' ? '' : `\n${indent.repeat(Math.min(depth, MAX_INDENTS))}`);
  for (const token of tokensOf(json)) {
    switch (token) {
      case '{':
      case '[':
        depth++;
        text += token + lineBreak();
        break;
      case '}':
      case ']':
        depth--;
        text += lineBreak() + token;
        break;
      case ',':
        text += token + lineBreak();
        break;
      case ':':
        text += indent === '' ? token : ': ';
        break;
      default:
        text += escapeInvisible(token);
    }
  }
  return text;
}

/** Deeper than this nobody reads, and the blanks would be more than the text. */
const MAX_INDENTS = 50;

/** Strings, numbers, words and marks; an object or a list with nothing in it is one. */
function* tokensOf(json: string): Generator<string> {
  let at = skipWhitespace(json, 0);
  while (at < json.length) {
    const start = at;
    const char = json.charAt(at);
    if (char === '"') at = stringEnd(json, at);
    else if (PUNCTUATION.includes(char)) at++;
    else
      while (at < json.length && !PUNCTUATION.includes(json.charAt(at)) && !WHITESPACE.includes(json.charAt(at))) at++;
    const next = skipWhitespace(json, at);
    const isEmpty = (char === '{' && json[next] === '}') || (char === '[' && json[next] === ']');
    yield isEmpty ? char + json.charAt(next) : json.slice(start, at);
    at = isEmpty ? skipWhitespace(json, next + 1) : next;
  }
}

const PUNCTUATION = '{}[],:';
const WHITESPACE = ' \t\r\n';

function skipWhitespace(json: string, from: number): number {
  let at = from;
  while (at < json.length && WHITESPACE.includes(json.charAt(at))) at++;
  return at;
}

function stringEnd(json: string, from: number): number {
  let at = from + 1;
  while (at < json.length && json[at] !== '"') at += json[at] === '\\' ? 2 : 1;
  return at + 1;
}
