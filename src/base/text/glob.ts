export interface GlobOptions {
  /** Whether `?` matches exactly one character. Otherwise it matches only itself. */
  readonly hasQuestionMarks?: boolean;
}

/**
 * Compiles a pattern in which `*` matches any text, including none, and every other character itself. It must match the
 * whole text. The search for the pieces between the stars never backtracks, so no text can make it slow.
 */
export function createGlob(pattern: string, { hasQuestionMarks = false }: GlobOptions = {}): (text: string) => boolean {
  const [first = '', ...rest] = pattern.split('*');
  const last = rest.pop();
  const search = hasQuestionMarks && pattern.includes('?') ? WITH_QUESTION_MARKS : LITERAL;
  if (last === undefined) return (text) => text.length === first.length && search.isAt(text, first, 0);
  return (text) => {
    const end = text.length - last.length;
    if (end < first.length || !search.isAt(text, first, 0) || !search.isAt(text, last, end)) return false;
    const inner = text.slice(first.length, end);
    let from = 0;
    for (const piece of rest) {
      const found = search.indexOf(inner, piece, from);
      if (found === -1) return false;
      from = found + piece.length;
    }
    return true;
  };
}

interface PieceSearch {
  isAt(text: string, piece: string, at: number): boolean;
  indexOf(text: string, piece: string, from: number): number;
}

const LITERAL: PieceSearch = {
  isAt: (text, piece, at) => text.startsWith(piece, at),
  indexOf: (text, piece, from) => text.indexOf(piece, from),
};

const WITH_QUESTION_MARKS: PieceSearch = {
  isAt(text, piece, at) {
    for (let index = 0; index < piece.length; index++)
      if (piece[index] !== '?' && piece[index] !== text[at + index]) return false;
    return true;
  },
  indexOf(text, piece, from) {
    for (let at = from; at + piece.length <= text.length; at++) if (this.isAt(text, piece, at)) return at;
    return -1;
  },
};
