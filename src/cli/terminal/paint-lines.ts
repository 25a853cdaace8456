import type { Style, Tone } from './style.ts';

/** The part of a line to paint, and how. */
export type LineTones = readonly (readonly [part: RegExp, tone: Tone])[];

/** Paints the lines of a text. The first part that a line has decides. */
export function paintLines(text: string, tones: LineTones, style: Style): string {
  if (!style.hasColour) return text;
  const paintLine = (line: string) => {
    const [part, tone] = tones.find(([one]) => one.test(line)) ?? [];
    return part === undefined || tone === undefined ? line : line.replace(part, (found) => style.paint(found, tone));
  };
  return text.split('\n').map(paintLine).join('\n');
}
