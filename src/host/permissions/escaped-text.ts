import { needsNeutralising } from '../../base/text/safe-text.ts';
import { escapeInvisible } from '../../base/text/visible-text.ts';

/**
 * A text in which nothing is hidden: what cannot be seen, or would steer a terminal, stands there as its escape. Line
 * breaks stay. Unlike a text without those characters, it does not look like another one.
 */
export function escapeInvisibleLines(text: string): string {
  const lines = text.split('\n').map(escapeInvisible).join('\n');
  return lines.replace(/[^\n -~]/gu, (found) => (needsNeutralising(found) ? toEscapes(found) : found));
}

function toEscapes(character: string): string {
  const units = Array.from({ length: character.length }, (_, index) => character.charCodeAt(index));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('');
}

/** The beginning of a text, without half a character at its end. */
export function truncate(text: string, maxLength: number): string {
  return text.slice(0, maxLength).replace(/[\ud800-\udbff]$/, '');
}
