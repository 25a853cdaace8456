import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import {
  type CatalogCache,
  openCatalogCache,
  type StoredCatalog,
} from '../../src/upstream/catalog-cache/catalog-cache.ts';
import { useTemporaryFolders } from '../temporary-folder.ts';

export const NOW = Date.UTC(2026, 10, 16);

export const catalog: StoredCatalog = {
  initializeResult: '{"protocolVersion":"2025-11-25","instructions":"é\\n"}',
  lists: {
    tools: [Buffer.from('[{"name":"a","n":9007199254740993,"x":1e400}]'), Buffer.from('[ ]')],
    prompts: [Buffer.from('[]')],
    resources: [],
  },
};
export const other: StoredCatalog = { initializeResult: '{"other":true}', lists: { tools: [Buffer.from('[]')] } };

interface OpenedCache {
  readonly cache: CatalogCache;
  readonly problems: readonly string[];
  /** The folder with the catalogs. */
  readonly folder: string;
}

/** Returns functions that open catalog caches in temporary folders. */
export function useCatalogCaches() {
  const newFolder = useTemporaryFolders();
  const open = (parent = newFolder(), now = () => NOW): OpenedCache => {
    const problems: string[] = [];
    const cache = openCatalogCache({ folder: parent, now, onProblem: (message) => problems.push(message) });
    return { cache, problems, folder: join(parent, 'catalogs') };
  };
  return {
    newFolder,
    open,
    /** Opens a cache with the catalog of the server `a` under the key `k`. */
    async written(): Promise<OpenedCache & { readonly file: string }> {
      const opened = open();
      await opened.cache.write('a', 'k', catalog);
      return { ...opened, file: join(opened.folder, readdirSync(opened.folder)[0] ?? '') };
    },
  };
}
