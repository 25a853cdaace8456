import { sha256 } from '../../base/digest.ts';

interface CatalogKeyParts {
  /** Resolved command or URL of the server, including all values. */
  readonly server: unknown;
  /** Client capabilities as relayed to the server. */
  readonly capabilities: unknown;
  readonly protocolVersion: string;
}

/**
 * Returns the cache key of a catalog. The key changes with everything that may change the server's lists. It is a
 * sha256 in hex, so no value can be recovered from it.
 */
export function catalogKey({ server, capabilities, protocolVersion }: CatalogKeyParts): string {
  return sha256(sortedJson([server, capabilities, protocolVersion]));
}

/**
 * Serializes to JSON with sorted keys. Uses an explicit stack, because input depth must not become call stack depth.
 */
export function sortedJson(value: unknown): string {
  const pieces: string[] = [];
  const open: Step[] = [{ value }];
  for (let step = open.pop(); step !== undefined; step = open.pop()) {
    if ('text' in step) pieces.push(step.text);
    else if (typeof step.value !== 'object' || step.value === null) pieces.push(JSON.stringify(step.value) ?? 'null');
    else for (const next of stepsInto(step.value).reverse()) open.push(next);
  }
  return pieces.join('');
}

type Step = { readonly text: string } | { readonly value: unknown };

function stepsInto(value: object): Step[] {
  if (Array.isArray(value)) return [{ text: '[' }, ...value.flatMap((item) => [{ value: item }, COMMA]), { text: ']' }];
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  // Sort by code units: the order is the same in every locale.
  members.sort(([a], [b]) => (a < b ? -1 : 1));
  const steps = members.flatMap(([name, member]) => [{ text: `${JSON.stringify(name)}:` }, { value: member }, COMMA]);
  return [{ text: '{' }, ...steps, { text: '}' }];
}

const COMMA: Step = { text: ',' };
