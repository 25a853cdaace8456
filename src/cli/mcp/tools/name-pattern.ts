/** Whether one of the texts fits: as a whole when the pattern has `*` or `?` in it, else when it holds it anywhere. */
export function createMatch(pattern: string): (texts: readonly string[]) => boolean {
  const wanted = fold(pattern);
  if (!/[*?]/.test(wanted)) return (texts) => texts.some((text) => fold(text).includes(wanted));
  return (texts) => texts.some((text) => fits(fold(text), wanted));
}

function fold(text: string): string {
  return text.toLowerCase();
}

/** `*` stands for any run of characters, `?` for one. Goes back to the latest `*` alone, so it is never slow. */
function fits(text: string, glob: string): boolean {
  let at = 0;
  let star = -1;
  let resume = 0;
  for (let place = 0; place < text.length; ) {
    const wanted = glob[at];
    if (wanted === '*') {
      star = at++;
      resume = place;
    } else if (wanted === '?' || wanted === text[place]) {
      at++;
      place++;
    } else if (star !== -1) {
      at = star + 1;
      place = ++resume;
    } else return false;
  }
  while (glob[at] === '*') at++;
  return at === glob.length;
}
