import { createGlob } from '../../../base/text/glob.ts';

/** Matches a text as a whole if the pattern contains `*` or `?`, otherwise anywhere. One matching text is enough. */
export function createNamePattern(pattern: string): (texts: readonly string[]) => boolean {
  const wanted = pattern.toLowerCase();
  const matches = /[*?]/.test(wanted)
    ? createGlob(wanted, { hasQuestionMarks: true })
    : (text: string) => text.includes(wanted);
  return (texts) => texts.some((text) => matches(text.toLowerCase()));
}
