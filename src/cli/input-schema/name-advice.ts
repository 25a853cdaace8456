import { nearestNames } from '../../base/text/nearest-names.ts';
import { escapeInvisible } from '../../base/text/visible-text.ts';

const MAX_NAMES = 20;

/** Suggests the known names nearest to an unknown one, or lists all of them. */
export function suggestNames(name: string, known: readonly string[]): string {
  const near = nearestNames(name, known);
  if (near.length > 0) return `Did you mean ${near.map(escapeInvisible).join(' or ')}?`;
  if (known.length === 0) return 'It takes no arguments';
  const more = known.length > MAX_NAMES ? ' …' : '';
  return `There are: ${known.slice(0, MAX_NAMES).map(escapeInvisible).join(', ')}${more}`;
}
