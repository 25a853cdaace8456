import { Outline } from './outline.ts';

/** Values as they were written: a parsed number may no longer be the one that the server meant. */
export interface ExactTexts {
  /** Whether some number would be written differently after it was parsed. */
  hasLossyNumbers(): boolean;
  /** The text of the value to which the steps lead; undefined when nothing stands there or the whole is beyond the limits. */
  at(path: readonly string[]): string | undefined;
}

/** For text that `JSON.parse` took. Nothing is read before it is asked for: such numbers are rare. */
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

/** More digits than a double holds, an exponent, a zero at the end of a fraction, a minus before nothing; also in strings. */
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

/** Of two members with one name the last one, as parsers do. */
function contentsOf(known: Map<number, Map<string, number>>, outline: Outline, node: number): Map<string, number> {
  const found = known.get(node);
  if (found !== undefined) return found;
  const isList = outline.isList(node);
  const contents = outline.children(node);
  const made = new Map(contents.map((inner, index) => [isList ? String(index) : outline.key(inner), inner]));
  known.set(node, made);
  return made;
}
