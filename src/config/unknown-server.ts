import { AppError } from '../base/errors.ts';
import { programName } from '../base/program-name.ts';
import { nearestNames } from '../base/text/nearest-names.ts';
import { quoteForShell } from '../base/text/shell-quote.ts';
import { escapeInvisible, quoteIfNeeded } from '../base/text/visible-text.ts';
import { checkOwnName } from './entry/entry-name.ts';
import { commandFor } from './next-command.ts';
import { formatLocation, toConfigError } from './problem.ts';
import type { LoadedConfig } from './server-entry.ts';

/** The servers that were read. */
interface KnownServers extends Pick<LoadedConfig, 'problems' | 'files'> {
  readonly servers: readonly { readonly id: string }[];
}

/** Builds the error for an unknown id. If a file is unreadable, reports that instead, because it may contain the id. */
export function unknownServer(
  id: string,
  { servers, problems, files }: KnownServers,
  scope?: 'project' | 'global',
): AppError {
  const broken = files.filter(({ state }) => state === 'broken').map(({ file }) => file);
  const problem = problems.find(({ file }) => broken.includes(file));
  const name = quoteIfNeeded(id);
  if (problem !== undefined)
    return toConfigError({
      ...problem,
      message: `${problem.message} Until it can be read, it is unknown whether it has ${name}.`,
    });
  const known = servers.map((server) => server.id);
  const where = scope === undefined ? '' : ` in the ${scope} config`;
  return new AppError('USAGE', `There is no server ${name}${where}. ${hintFor(id, known, files[0])}`, {
    data: { server: id, known },
  });
}

function hintFor(id: string, known: readonly string[], first: LoadedConfig['files'][number] | undefined): string {
  const near = nearestNames(id, known);
  if (near.length > 0) return `Did you mean ${near.map(quoteIfNeeded).join(' or ')}?`;
  if (known.length > 0)
    return `See: ${commandFor('mcp list', first)} (run it in the folder of a project to see its servers)`;
  const canBeAdded = checkOwnName(id) === undefined && !id.startsWith('-');
  return `None is configured. Run: ${programName()} mcp add ${canBeAdded ? quoteForShell(id) : '<id>'} <url>`;
}

/**
 * Builds the error for ids that no server has: lists the existing ids, suggests names, and quotes the first problem of
 * the config, because the server may be in that file.
 */
export function unknownServers(
  unknown: string | readonly string[],
  { servers, problems = [] }: Partial<Pick<KnownServers, 'problems'>> & Pick<KnownServers, 'servers'>,
  near: readonly string[] = [],
): AppError {
  const [problem] = problems;
  const problemNote =
    problem === undefined
      ? ''
      : ` Config problem: ${formatLocation(problem.file, problem.line)}: ${escapeInvisible(problem.message)}`;
  const known = servers.map(({ id }) => id);
  const choice =
    known.length === 0 ? ': no server is configured' : ` (configured: ${known.map(quoteIfNeeded).join(', ')})`;
  const names = [unknown].flat().map(quoteIfNeeded).join(', ');
  return new AppError('USAGE', `There is no server ${names}${choice}.${didYouMean(near)}${problemNote}`, {
    data: { unknown, known },
  });
}

/** Returns the sentence that suggests the first of these names, with a leading blank; empty without names. */
export function didYouMean(near: readonly string[]): string {
  const names = [...new Set(near)].slice(0, 3).map(quoteIfNeeded);
  return names.length === 0 ? '' : ` Did you mean ${names.join(' or ')}?`;
}
