import type { Surroundings } from '../config/folders.ts';
import type { ServerEntry } from '../config/server-entry.ts';
import type { Definition } from '../schema/definition.ts';
import type { DefinitionList } from '../schema/list.ts';

/** Says why a tool of this list is held back although its server offers it: the server is pinned, and the tool changed. */
export type HeldBack = (list: DefinitionList) => (tool: Definition) => string | undefined;

/** Few servers are pinned, so the code that compares definitions is loaded only for those. */
export async function findHeldBack(entry: ServerEntry, surroundings: Surroundings): Promise<HeldBack> {
  if (!entry.pin) return () => () => undefined;
  const { readPin } = await import('./read-pin.ts');
  return (list) => readPin(entry, list, surroundings);
}
