import type { Environment } from '../../../config/files/folders.ts';
import type { ServerEntry } from '../../../config/server-entry.ts';
import { openPinStore } from '../../../config/trust/pin-store.ts';
import type { DefinitionList } from '../../../schema/definitions/definition-list.ts';
import { createPin } from '../../../upstream/catalog/pin.ts';

/** Compares a list with the stored pin. A command never pins a server: the gateway and the host do. */
export function readPin(entry: ServerEntry, list: DefinitionList, environment: Environment) {
  const store = () => openPinStore(environment);
  const pin = createPin({ id: entry.id, store, entry: () => entry, files: () => [], warn: () => {} });
  if (pin.isPinned()) pin.toolsListed(undefined, list);
  return pin.whyQuarantined;
}
