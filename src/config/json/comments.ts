/**
 * A text with blanks in the place of comments and of the comma before a closing bracket, so that it is JSON when that was
 * all that kept it from being. Nothing moves: offsets and lines stay what they were. A comment without an end is left.
 */
export function blankComments(text: string): string {
  return blankTrailingCommas(blankOnlyComments(text));
}

/** The same without a look at commas. */
export function blankOnlyComments(text: string): string {
  return text.replace(COMMENTS, (found) => (found.startsWith('"') ? found : found.replace(/[^\r\n]/g, ' ')));
}

/** A string without an end reaches to the end: nothing in it is looked at twice. */
const STRING = String.raw`"[^"\\]*(?:\\[\s\S][^"\\]*)*"?`;
const COMMENTS = new RegExp(String.raw`${STRING}|//[^\r\n]*|/\*[\s\S]*?\*/`, 'g');

/** What follows a value may be blanked; where no value stands before it, the comma is a fault and stays one. */
function blankTrailingCommas(text: string): string {
  return text.replace(TRAILING_COMMAS, (found, at: number) => {
    if (found !== ',') return found;
    let before = at - 1;
    while (before >= 0 && ' \t\r\n'.includes(text.charAt(before))) before--;
    return before < 0 || '[{,:'.includes(text.charAt(before)) ? found : ' ';
  });
}

const TRAILING_COMMAS = new RegExp(String.raw`${STRING}|,(?=[ \t\r\n]*[}\]])`, 'g');
