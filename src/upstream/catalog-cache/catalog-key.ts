import { sha256 } from '../../base/digest.ts';

interface CatalogKeyParts {
  /** What is started or reached, values included. */
  readonly server: unknown;
  /** Of the client, as they were relayed. */
  readonly capabilities: unknown;
  readonly protocolVersion: string;
}

/**
 * Under what a catalog is kept: it changes with everything that may change what a server offers. Hex digits of sha256,
 * so that no value can be read back.
 */
export function catalogKey({ server, capabilities, protocolVersion }: CatalogKeyParts): string {
  return sha256(sortedJson([server, capabilities, protocolVersion]));
}

/** A JSON text with sorted keys. Keeps its own stack: depth is the sender's choice and must not become ours. */
function sortedJson(value: unknown): string {
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
  // By code units: the same everywhere, whatever language the machine speaks.
  members.sort(([a], [b]) => (a < b ? -1 : 1));
  const steps = members.flatMap(([name, member]) => [{ text: `${JSON.stringify(name)}:` }, { value: member }, COMMA]);
  return [{ text: '{' }, ...steps, { text: '}' }];
}

const COMMA: Step = { text: ',' };
