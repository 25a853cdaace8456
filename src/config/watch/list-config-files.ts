import { findSources } from '../files/sources.ts';
import type { LoadOptions } from '../load-config.ts';
import { trustFile } from '../trust/trust-store.ts';

/**
 * Returns all files that affect the result of `loadConfig`, whether or not they exist: those with servers, and the
 * trust store, and the record of the servers that clients see.
 */
export function listConfigFiles(options: LoadOptions): readonly string[] {
  const sources = findSources(options, options.explicitFiles);
  const files = sources.map(({ file }) => file);
  const needsTrust = sources.some((source) => source.needsTrust);
  const stores = [needsTrust ? trustFile(options) : undefined, options.clientViews?.file];
  return [...new Set([...files, ...stores.filter((file) => file !== undefined)])];
}
