import { CLOSE_BRACE, CLOSE_BRACKET, OPEN_BRACE, OPEN_BRACKET, QUOTE } from '../../wire/json/json-bytes.ts';
import { stringEnd } from '../../wire/json/json-text.ts';

/**
 * Returns whether a schema is nested so deep that Codex loses all tools: it stops at 128 levels of the whole response.
 */
export function isTooDeep(schema: string): boolean {
  let depth = 0;
  for (let at = 0; at < schema.length; at++) {
    const code = schema.charCodeAt(at);
    if (code === QUOTE) at = stringEnd(schema, at) - 1;
    else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) depth--;
    else if ((code === OPEN_BRACE || code === OPEN_BRACKET) && ++depth > MAX_NESTING) return true;
  }
  return false;
}

/** The response adds four levels around a schema. */
const MAX_NESTING = 120;
