/**
 * Replaces comments and trailing commas by blanks, so that a text that is otherwise JSON parses. Offsets and lines stay
 * the same. An unterminated comment stays.
 */
export function blankComments(text: string): string {
  return blankTrailingCommas(blankOnlyComments(text));
}

/** Replaces only comments by blanks, and no commas. */
export function blankOnlyComments(text: string): string {
  return text.replace(COMMENTS, (found) => (found.startsWith('"') ? found : found.replace(/[^\r\n]/g, ' ')));
}

/** An unterminated string extends to the end of the text, so that nothing is scanned twice. */
const STRING = String.raw`"[^"\\]*(?:\\[\s\S][^"\\]*)*"?`;
const COMMENTS = new RegExp(String.raw`${STRING}|//[^\r\n]*|/\*[\s\S]*?\*/`, 'g');

/** Blanks a trailing comma after a value. Without a value before it, the comma is an error and stays. */
function blankTrailingCommas(text: string): string {
  return text.replace(TRAILING_COMMAS, (found, at: number) => {
    if (found !== ',') return found;
    let before = at - 1;
    while (before >= 0 && ' \t\r\n'.includes(text.charAt(before))) before--;
    return before < 0 || '[{,:'.includes(text.charAt(before)) ? found : ' ';
  });
}

const TRAILING_COMMAS = new RegExp(String.raw`${STRING}|,(?=[ \t\r\n]*[}\]])`, 'g');
