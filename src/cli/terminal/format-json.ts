import { escapeInvisible } from '../../base/text/visible-text.ts';
import { skipWhitespace, stringEnd } from '../../wire/json/json-text.ts';

/**
 * Formats JSON text for a person, each level indented by `indent`; an empty indent puts everything on one line. Keeps
 * numbers and strings as written, because `1e400` and `1.0` would not survive a parser; escapes only invisible
 * characters. Requires valid JSON.
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

/** Deeper levels are unreadable, and the indentation would exceed the text. */
const MAX_INDENTS = 50;

/** Yields strings, numbers, literals and punctuation; an empty object or list is one token. */
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
