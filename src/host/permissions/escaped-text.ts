import { needsNeutralizing } from '../../base/text/safe-text.ts';
import { escapeInvisible } from '../../base/text/visible-text.ts';

/**
 * Escapes every character that is invisible or controls a terminal. Keeps line breaks. Removing those characters
 * instead could make two different texts look the same.
 */
export function escapeInvisibleLines(text: string): string {
  const lines = text.split('\n').map(escapeInvisible).join('\n');
  return lines.replace(/[^\n -~]/gu, (found) => (needsNeutralizing(found) ? toEscapes(found) : found));
}

function toEscapes(character: string): string {
  const units = Array.from({ length: character.length }, (_, index) => character.charCodeAt(index));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('');
}

/** Returns the beginning of a text, without splitting a surrogate pair. */
export function truncate(text: string, maxLength: number): string {
  return text.slice(0, maxLength).replace(/[\ud800-\udbff]$/, '');
}
