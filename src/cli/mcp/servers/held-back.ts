import type { Environment } from '../../../config/files/folders.ts';
import type { ServerEntry } from '../../../config/server-entry.ts';
import type { Definition } from '../../../schema/definitions/definition.ts';
import type { DefinitionList } from '../../../schema/definitions/definition-list.ts';

/** Returns why a listed tool is held back: its server is pinned and the tool has changed. Undefined for other tools. */
export type HeldBack = (list: DefinitionList) => (tool: Definition) => string | undefined;

/** Loads the code that compares definitions only for pinned servers, because few are. */
export async function loadHeldBack(entry: ServerEntry, environment: Environment): Promise<HeldBack> {
  if (!entry.pin) return () => () => undefined;
  const { readPin } = await import('./read-pin.ts');
  return (list) => readPin(entry, list, environment);
}
