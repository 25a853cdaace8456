import { truncateJson } from './truncate.ts';

/** The newest texts, oldest first: so many at most, and as many of them as go together into the characters of JSON. */
export function takeRecentTexts(
  texts: readonly string[],
  { count, maxChars }: { readonly count: number; readonly maxChars: number },
): { readonly texts: readonly string[]; readonly isCut: boolean } {
  const recent: string[] = [];
  let left = maxChars;
  for (const text of lastOf(texts, count).toReversed()) {
    const truncated = truncateJson(text, left);
    if (left < MIN_TEXT_CHARS) return { texts: recent, isCut: true };
    recent.unshift(truncated);
    left -= JSON.stringify(truncated).length - 2;
    if (truncated !== text) return { texts: recent, isCut: true };
  }
  return { texts: recent, isCut: false };
}

function lastOf<Value>(list: readonly Value[], count: number): readonly Value[] {
  return count === 0 ? [] : list.slice(-count);
}

/** Less than this of a message says nothing. */
const MIN_TEXT_CHARS = 100;
