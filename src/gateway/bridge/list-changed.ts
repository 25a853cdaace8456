import type { ListKind } from '../../upstream/catalog/listing.ts';
import type { Client } from '../client/client.ts';

/** Notifies the client unless it would read the same list again, for example because its view hides the change. */
export function notifyListChanged(client: Client, kind: ListKind, version: () => number): void {
  const list = kind === 'resourceTemplates' ? 'resources' : kind;
  client.lists.listChanged(kind, version, () => client.notify(`notifications/${list}/list_changed`));
}
