import { type ConfigFile, readConfigFile } from '../../config/config-file.ts';
import { filledVariable, type Surroundings } from '../../config/folders.ts';
import { type Candidate, chooseEntries, mergeFiles } from '../../config/merge.ts';
import type { ConfigFileState, ConfigProblem, ConfiguredServer } from '../../config/server-entry.ts';
import { asksForTrust, readSourceFiles } from '../../config/source-files.ts';
import { findProjectSources, globalSource, type Source } from '../../config/sources.ts';
import type { TrustCheck } from '../../config/trust-check.ts';
import type { CommandContext } from '../main.ts';

/** One of the two files that we write. */
export type Scope = 'project' | 'global';

export function surroundingsOf({ cwd, home, env }: CommandContext): Surroundings {
  return { cwd, home, env, platform: process.platform };
}

export function ownSource(surroundings: Surroundings, scope: Scope): Source {
  const [project] = findProjectSources(surroundings);
  return scope === 'project' && project !== undefined ? project : globalSource(surroundings);
}

/** What all files say about servers. */
export interface Definitions {
  /** Every entry, in the order of precedence. */
  readonly candidates: readonly Candidate[];
  /** Which of those with one id counts. */
  readonly chosen: ReadonlyMap<string, Candidate>;
  readonly servers: readonly ConfiguredServer[];
  readonly problems: readonly ConfigProblem[];
  /** Every file that was looked for. */
  readonly files: readonly ConfigFileState[];
}

/** Of everything that is read; with a scope, of that one file. */
export async function readDefinitions(surroundings: Surroundings, scope?: Scope): Promise<Definitions> {
  const { files, states } = scope === undefined ? readSourceFiles(surroundings) : readOne(surroundings, scope);
  const trust = await loadTrust(files, surroundings);
  const { servers, problems } = mergeFiles(files, trust.isTrusted);
  return {
    ...chooseEntries(files, trust.isTrusted),
    servers,
    problems: [...problems, ...trust.problems],
    files: states,
  };
}

/** The layers that commands change, whatever file is named for the moment. */
export function withoutNamedFile(surroundings: Surroundings): Surroundings {
  const { CODEX_MCP_WRAPPER_CONFIG: _, ...env } = surroundings.env;
  return { ...surroundings, env };
}

/** A word for whoever changes files that are not read just now. */
export function namedFileNote({ env }: Surroundings): readonly string[] {
  const file = filledVariable(env, 'CODEX_MCP_WRAPPER_CONFIG');
  if (file === undefined) return [];
  return [
    'CODEX_MCP_WRAPPER_CONFIG is set and names the one file that is read: until it is unset, this has no effect.',
  ];
}

function readOne(
  surroundings: Surroundings,
  scope: Scope,
): { files: readonly ConfigFile[]; states: ConfigFileState[] } {
  const source = ownSource(surroundings, scope);
  const file = readConfigFile(source);
  const state = file === undefined ? 'absent' : file.dialect === '' ? 'broken' : 'usable';
  const states: ConfigFileState[] = [{ file: source.file, layer: source.layer, state, signature: '' }];
  return { files: file === undefined ? [] : [file], states };
}

/** The store of trust, and the cryptography it needs, are loaded only when an entry asks for them. */
async function loadTrust(files: readonly ConfigFile[], surroundings: Surroundings): Promise<TrustCheck> {
  if (!asksForTrust(files, surroundings.env)) return { isTrusted: () => true, problems: [] };
  const { openTrustCheck } = await import('../../config/trust-check.ts');
  return openTrustCheck(surroundings);
}
