import { AppError } from '../../../base/errors.ts';
import { nearestNames } from '../../../base/text/nearest-names.ts';
import { quoteForShell } from '../../../base/text/shell-quote.ts';
import { quoteIfNeeded } from '../../../base/text/visible-text.ts';
import { checkOwnName } from '../../../config/entry/entry-name.ts';
import { commandFor } from '../../../config/next-command.ts';
import { toConfigError } from '../../../config/problem.ts';
import type { LoadedConfig } from '../../../config/server-entry.ts';
import type { Scope } from './definitions.ts';

/** The servers that were read. */
interface KnownServers extends Pick<LoadedConfig, 'problems' | 'files'> {
  readonly servers: readonly { readonly id: string }[];
}

/** Builds the error for an unknown id. If a file is unreadable, reports that instead, because it may contain the id. */
export function unknownServer(id: string, { servers, problems, files }: KnownServers, scope?: Scope): AppError {
  const broken = files.filter(({ state }) => state === 'broken').map(({ file }) => file);
  const problem = problems.find(({ file }) => broken.includes(file));
  const name = quoteIfNeeded(id);
  if (problem !== undefined)
    return toConfigError({
      ...problem,
      message: `${problem.message} Until it can be read, nobody knows whether it has ${name}.`,
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
  if (known.length > 0) return `See: ${commandFor('mcp list', first)} (one of a project is found in its folder)`;
  const canBeAdded = checkOwnName(id) === undefined && !id.startsWith('-');
  return `None is configured. Run: switchboard mcp add ${canBeAdded ? quoteForShell(id) : '<id>'} <url>`;
}
