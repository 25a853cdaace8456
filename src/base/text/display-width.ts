/** Returns how many terminal columns a text takes: CJK characters and most emoji take two, combining marks none. */
export function displayWidth(text: string): number {
  if (/^[ -~]*$/.test(text)) return text.length;
  let width = 0;
  for (const character of text) width += ZERO_WIDTH.test(character) ? 0 : WIDE.test(character) ? 2 : 1;
  return width;
}

/**
 * Returns at least as many columns as any terminal takes for a text: every character beyond ASCII counts as wide. For
 * checks where an attacker would profit from a character that is wider than expected.
 */
export function maxDisplayWidth(text: string): number {
  let width = 0;
  for (const character of text) width += character > '~' ? 2 : 1;
  return width;
}

/** Truncates to a width and marks the cut with `…`. */
export function truncateToWidth(text: string, width: number): string {
  if (displayWidth(text) <= width) return text;
  return width < 1 ? '' : `${clipToWidth(text, width - 1).trimEnd()}…`;
}

/** Truncates to a width without a mark. */
export function clipToWidth(text: string, width: number): string {
  let kept = '';
  let room = width;
  for (const character of text) {
    room -= displayWidth(character);
    if (room < 0) break;
    kept += character;
  }
  return kept;
}

/** Pads with trailing blanks. */
export function padToWidth(text: string, width: number): string {
  return text + ' '.repeat(Math.max(width - displayWidth(text), 0));
}

/** Combining marks and format characters. */
const ZERO_WIDTH = /^[\p{Mn}\p{Me}\p{Cf}]$/u;

/**
 * Characters that Unicode calls wide, as blocks. They include a few narrow characters too many, which only adds a
 * blank.
 */
const WIDE =
  /^[\u1100-\u115f\u231a\u231b\u23e9-\u23f3\u25fd\u25fe\u2614\u2615\u2648-\u2653\u26a1\u26ce\u2705\u270a\u270b\u2728\u274c\u274e\u2753-\u2757\u2795-\u2797\u2b1b\u2b1c\u2b50\u2b55\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{1f000}-\u{1faff}\u{20000}-\u{3fffd}]$/u;
