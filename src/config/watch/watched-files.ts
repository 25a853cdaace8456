import { findSources } from '../files/sources.ts';
import type { LoadOptions } from '../load-config.ts';
import { trustFile } from '../trust/trust-store.ts';

/** All files that decide what `loadConfig` gives, be they there or not: those with servers, and what is trusted. */
export function listConfigFiles(options: LoadOptions): readonly string[] {
  const sources = findSources(options, options.explicitFile);
  const files = sources.map(({ file }) => file);
  const needsTrust = sources.some((source) => source.needsTrust);
  return [...new Set(needsTrust ? [...files, trustFile(options)] : files)];
}
