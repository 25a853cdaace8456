import { truncateJson } from './truncate.ts';

/** Returns the latest texts, oldest first: at most `count`, and at most `maxChars` characters of JSON together. */
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

/** A shorter excerpt of a message is useless. */
const MIN_TEXT_CHARS = 100;
