/** Matches a text as a whole if the pattern contains `*` or `?`, otherwise anywhere. One matching text is enough. */
export function createNamePattern(pattern: string): (texts: readonly string[]) => boolean {
  const wanted = lowerCase(pattern);
  if (!/[*?]/.test(wanted)) return (texts) => texts.some((text) => lowerCase(text).includes(wanted));
  return (texts) => texts.some((text) => matchesGlob(lowerCase(text), wanted));
}

function lowerCase(text: string): string {
  return text.toLowerCase();
}

/** `*` matches any run of characters, `?` exactly one. Backtracks only to the latest `*`, so it is never slow. */
function matchesGlob(text: string, glob: string): boolean {
  let at = 0;
  let star = -1;
  let resume = 0;
  for (let position = 0; position < text.length; ) {
    const wanted = glob[at];
    if (wanted === '*') {
      star = at++;
      resume = position;
    } else if (wanted === '?' || wanted === text[position]) {
      at++;
      position++;
    } else if (star !== -1) {
      at = star + 1;
      position = ++resume;
    } else return false;
  }
  while (glob[at] === '*') at++;
  return at === glob.length;
}
