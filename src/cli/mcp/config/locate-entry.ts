import type { Environment } from '../../../config/files/folders.ts';
import { globalSource, type Source } from '../../../config/files/sources.ts';
import type { Definitions } from '../../../config/load-config.ts';
import type { Candidate } from '../../../config/merge-files.ts';
import { unknownServer } from '../../../config/unknown-server.ts';
import { type Scope, sourceToChange } from './definitions.ts';
import { definedElsewhereError } from './entry-errors.ts';

/** An entry in one of our own files, which commands may change. */
export interface LocatedEntry {
  readonly source: Source;
  readonly scope: Scope;
  readonly isTrusted: boolean;
}

interface LocateOptions {
  /** The verb, for the command that the error suggests. */
  readonly command: string;
  /** Undefined finds the entry that takes effect. */
  readonly scope: Scope | undefined;
  readonly definitions: Definitions;
  readonly environment: Environment;
}

/** Finds the entry to change. Throws USAGE if there is none, or if it is in a file of another program. */
export function locateEntry(id: string, options: LocateOptions): LocatedEntry {
  const { command, scope: wanted, definitions, environment } = options;
  const found = definitions.candidates.filter(({ entry }) => entry.id === id);
  const effective = definitions.chosen.get(id) ?? found[0];
  if (effective === undefined) throw unknownServer(id, definitions, wanted);
  const scope = wanted ?? scopeOf(effective);
  const source = scope === undefined ? undefined : sourceOf(id, scope, environment);
  const ours = found.find(({ entry }) => entry.origin.file === source?.file);
  if (scope !== undefined && source !== undefined && ours !== undefined)
    return { source, scope, isTrusted: ours.isTrusted };
  throw definedElsewhereError(id, { command, scope: scope ?? 'project', found: effective });
}

/**
 * Returns the config to change without `--scope`: the project config if it has the entry, else the config that defines
 * the server. A server in a file of another program can be disabled only for the project.
 */
export function defaultScope(id: string, definitions: Definitions, environment: Environment): Scope {
  const project = sourceToChange(environment, 'project', id).file;
  const isInProject = definitions.candidates.some(({ entry }) => entry.id === id && entry.origin.file === project);
  const effective = definitions.chosen.get(id);
  return isInProject || effective === undefined ? 'project' : (scopeOf(effective) ?? 'project');
}

function scopeOf({ entry: { origin } }: Candidate): Scope | undefined {
  return origin.layer === 'project' || origin.layer === 'global' ? origin.layer : undefined;
}

function sourceOf(id: string, scope: Scope, environment: Environment): Source {
  return scope === 'global' ? globalSource(environment) : sourceToChange(environment, scope, id);
}
