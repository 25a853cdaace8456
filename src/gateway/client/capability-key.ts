import { sha256 } from '../../base/digest.ts';
import { sortedJson } from '../../upstream/catalog-cache/catalog-key.ts';
import { isObject } from '../../wire/messages.ts';

/**
 * Returns a key that is equal for clients between which a server sees no difference. A server is told all capabilities
 * of its clients, so clients with different keys do not share a process.
 */
export function capabilityKey(capabilities: unknown): string {
  return sha256(sortedJson(isObject(capabilities) ? withElicitationModes(capabilities) : {}));
}

/** A client that declares elicitation without modes supports forms only. */
function withElicitationModes(capabilities: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { elicitation } = capabilities;
  if (!isObject(elicitation) || 'form' in elicitation || 'url' in elicitation) return capabilities;
  return { ...capabilities, elicitation: { ...elicitation, form: {} } };
}
