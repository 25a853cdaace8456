/**
 * The words of a command line that was written for a POSIX shell: app-server tells commands in one text, where the old
 * events had a list. What no shell could read is one word.
 */
export function splitCommand(text: string): readonly string[] {
  const words: string[] = [];
  let word: string | undefined;
  let length = 0;
  for (const [piece] of text.matchAll(PIECES)) {
    length += piece.length;
    if (piece === LINE_GOES_ON) continue;
    if (!/^\s/.test(piece)) word = (word ?? '') + unquote(piece);
    else if (word !== undefined) {
      words.push(word);
      word = undefined;
    }
  }
  if (length < text.length) return [text];
  return word === undefined ? words : [...words, word];
}

/** Blanks; something in single quotes, in double quotes, behind a backslash; or plain. */
const PIECES = /\s+|'[^']*'|"(?:[^"\\]|\\.)*"|\\.|[^\s'"\\]+/gsy;
const LINE_GOES_ON = '\\\n';

function unquote(piece: string): string {
  const [first] = piece;
  if (first === "'") return piece.slice(1, -1);
  if (first === '\\') return piece.slice(1);
  // Between double quotes a backslash counts before these alone.
  return first === '"' ? piece.slice(1, -1).replace(/\\(?:\n|([$`"\\]))/g, '$1') : piece;
}
