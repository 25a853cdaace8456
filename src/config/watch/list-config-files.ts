import { findSources } from '../files/sources.ts';
import type { LoadOptions } from '../load-config.ts';
import { trustFile } from '../trust/trust-store.ts';

/**
 * Returns all files that affect the result of `loadConfig`, whether or not they exist: those with servers, and the
 * trust store.
 */
export function listConfigFiles(options: LoadOptions): readonly string[] {
  const sources = findSources(options, options.explicitFiles);
  const files = sources.map(({ file }) => file);
  const needsTrust = sources.some((source) => source.needsTrust);
  return [...new Set(needsTrust ? [...files, trustFile(options)] : files)];
}
