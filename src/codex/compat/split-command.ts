/**
 * The words of a command line that was written for a POSIX shell: app-server tells commands in one text, where the old
 * events had a list. What no shell could read is one word.
 */
export function splitCommand(text: string): readonly string[] {
  const words: string[] = [];
  let word: string | undefined;
  for (let rest = text; rest !== ''; ) {
    const [piece = ''] = BLANKS.exec(rest) ?? WORD_PIECE.exec(rest) ?? [];
    if (piece === '') return [text];
    if (!/\s/.test(piece.charAt(0))) word = (word ?? '') + unquote(piece);
    else if (word !== undefined) {
      words.push(word);
      word = undefined;
    }
    rest = rest.slice(piece.length);
  }
  return word === undefined ? words : [...words, word];
}

const BLANKS = /^\s+/;
/** Something in single quotes, in double quotes, behind a backslash, or plain. */
const WORD_PIECE = /^(?:'[^']*'|"(?:[^"\\]|\\.)*"|\\.|[^\s'"\\]+)/s;

function unquote(piece: string): string {
  switch (piece.charAt(0)) {
    case "'":
      return piece.slice(1, -1);
    case '"':
      // Between double quotes a backslash counts before these alone, and takes a line's end with it.
      return piece
        .slice(1, -1)
        .replace(/\\([$`"\\\n])/g, (_, character: string) => (character === '\n' ? '' : character));
    case '\\':
      return piece === '\\\n' ? '' : piece.slice(1);
  }
  return piece;
}
