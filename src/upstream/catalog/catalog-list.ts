import { type DefinitionList, readDefinitionList } from '../../schema/definitions/definition-list.ts';
import type { ListKind } from './listing.ts';

/** A list as sent by the server. It is parsed on first use: most clients never request most lists. */
export interface CatalogList {
  readonly pages: readonly Buffer[];
  readonly list: () => DefinitionList;
  readonly hasPages: (pages: readonly Buffer[]) => boolean;
}

export function createCatalogList(kind: ListKind, pages: readonly Buffer[]): CatalogList {
  const copies = pages.map(copy);
  let list: DefinitionList | undefined;
  return {
    pages: copies,
    list() {
      list ??= readDefinitionList(kind, copies);
      return list;
    },
    hasPages: (others) =>
      others.length === copies.length && copies.every((page, at) => others[at]?.equals(page) === true),
  };
}

/** Copies a page that is a small slice of a larger read buffer, because the slice keeps the whole buffer in memory. */
function copy(page: Buffer): Buffer {
  return page.length * 2 > page.buffer.byteLength ? page : Buffer.from(new Uint8Array(page).buffer);
}
