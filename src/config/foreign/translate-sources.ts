import type { Environment } from '../files/folders.ts';
import { readSmallFile } from '../files/small-file.ts';
import type { Source } from '../files/sources.ts';
import type { TranslatedFile } from './explicit-file.ts';
import { ownerOfPath } from './known-paths.ts';

/**
 * Translates the files that `--config` names and that have the shape of another program, by path. Most files need no
 * translation, so the code for it is loaded only when a file does.
 */
export async function translateSources(
  sources: readonly Source[],
  environment: Environment,
): Promise<ReadonlyMap<string, TranslatedFile>> {
  const translated = new Map<string, TranslatedFile>();
  for (const { file, layer } of sources) {
    if (layer !== 'explicit') continue;
    const bytes = readQuietly(file);
    if (bytes === undefined || !needsTranslation(file, bytes, environment)) continue;
    const { translateExplicitFile } = await import('./explicit-file.ts');
    translated.set(file, await translateExplicitFile(file, bytes, environment));
  }
  return translated;
}

/** A file that cannot be read is reported when it is read as a source. */
function readQuietly(file: string): Buffer | undefined {
  try {
    return readSmallFile(file)?.bytes;
  } catch {
    return undefined;
  }
}

function needsTranslation(file: string, bytes: Buffer, environment: Environment): boolean {
  if (file.endsWith('.toml') || ownerOfPath(file, environment) !== undefined) return true;
  return FOREIGN_CONTENT.test(bytes.toString('utf8'));
}

/** Keys and notations that none of the shapes have that Switchboard reads itself. */
const FOREIGN_CONTENT =
  /"(?:context_servers|manifest_version|dxt_version)"\s*:|"(?:packages|remotes)"\s*:\s*\[|"command"\s*:\s*\[|"type"\s*:\s*"remote"|\$\{(?:env:|input:|userHome|workspaceFolder)/;
