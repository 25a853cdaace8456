import { cutJson } from './truncate.ts';

/** The newest texts, oldest first: so many at most, and as many of them as go together into the characters of JSON. */
export function recentTexts(
  texts: readonly string[],
  { count, maxChars }: { readonly count: number; readonly maxChars: number },
): { readonly texts: readonly string[]; readonly isCut: boolean } {
  const kept: string[] = [];
  let left = maxChars;
  for (const text of lastOf(texts, count).toReversed()) {
    const shown = cutJson(text, left);
    if (left < MIN_TEXT_CHARS) return { texts: kept, isCut: true };
    kept.unshift(shown);
    left -= JSON.stringify(shown).length - 2;
    if (shown !== text) return { texts: kept, isCut: true };
  }
  return { texts: kept, isCut: false };
}

function lastOf<Value>(list: readonly Value[], count: number): readonly Value[] {
  return count === 0 ? [] : list.slice(-count);
}

/** Less than this of a message says nothing. */
const MIN_TEXT_CHARS = 100;
