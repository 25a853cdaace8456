import { Outline } from './outline.ts';

/** Values as they were written: a parsed number may differ from the one that the server wrote. */
export interface ExactTexts {
  /** Returns whether some number would be written differently after parsing. */
  hasLossyNumbers(): boolean;
  /** Returns the text of the value at this path; undefined if there is none, or if the JSON exceeds the limits. */
  at(path: readonly string[]): string | undefined;
}

/** Reads exact texts of JSON that `JSON.parse` accepted. Parses on demand, because such numbers are rare. */
export function createExactTexts(json: string): ExactTexts {
  let hasLossyNumbers: boolean | undefined;
  let find: ((path: readonly string[]) => string | undefined) | undefined;
  return {
    hasLossyNumbers() {
      hasLossyNumbers ??= LOSSY_NUMBER.test(json);
      return hasLossyNumbers;
    },
    at(path) {
      find ??= openOutline(json);
      return find(path);
    },
  };
}

/**
 * Matches more digits than a double holds, an exponent, a zero at the end of a fraction, or negative zero; also in
 * strings.
 */
export const LOSSY_NUMBER = /\d(?:[eE]|\.\d*0(?!\d)|[\d.]{15})|-0(?![.\d])/;

function openOutline(json: string): (path: readonly string[]) => string | undefined {
  const outline = new Outline(Buffer.from(json.trimStart()));
  outline.read(0);
  const known = new Map<number, Map<string, number>>();
  return (path) => {
    if (outline.limitExceeded !== undefined) return undefined;
    let node = 0;
    for (const step of path) {
      const next = contentsOf(known, outline, node).get(step);
      if (next === undefined) return undefined;
      node = next;
    }
    return outline.text(node).replace(/[\r\n]/g, ' ');
  };
}

/** Indexes the children of a node. The last of two members with the same name counts, as in parsers. */
function contentsOf(known: Map<number, Map<string, number>>, outline: Outline, node: number): Map<string, number> {
  const found = known.get(node);
  if (found !== undefined) return found;
  const isList = outline.isList(node);
  const contents = outline.children(node);
  const made = new Map(contents.map((inner, index) => [isList ? String(index) : outline.key(inner), inner]));
  known.set(node, made);
  return made;
}
