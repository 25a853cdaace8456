/**
 * Splits a command line for a POSIX shell into words: the app-server reports commands as one string, where the old
 * events had a list. A command that no shell could parse becomes one word.
 */
export function splitCommand(text: string): readonly string[] {
  const words: string[] = [];
  let word: string | undefined;
  let length = 0;
  for (const [piece] of text.matchAll(PIECES)) {
    length += piece.length;
    if (piece === LINE_CONTINUATION) continue;
    if (!/^\s/.test(piece)) word = (word ?? '') + unquote(piece);
    else if (word !== undefined) {
      words.push(word);
      word = undefined;
    }
  }
  if (length < text.length) return [text];
  return word === undefined ? words : [...words, word];
}

/** Blanks, text in single or double quotes, an escaped character, or plain text. */
const PIECES = /\s+|'[^']*'|"(?:[^"\\]|\\.)*"|\\.|[^\s'"\\]+/gsy;
const LINE_CONTINUATION = '\\\n';

function unquote(piece: string): string {
  const [first] = piece;
  if (first === "'") return piece.slice(1, -1);
  if (first === '\\') return piece.slice(1);
  // Between double quotes, a backslash only escapes these characters.
  return first === '"' ? piece.slice(1, -1).replace(/\\(?:\n|([$`"\\]))/g, '$1') : piece;
}
