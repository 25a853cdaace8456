import { AppError } from '../../../base/errors.ts';
import { nearestNames } from '../../../base/text/nearest-names.ts';
import { quoteForShell } from '../../../base/text/shell-quote.ts';
import { escapeInvisible, quoteIfNeeded } from '../../../base/text/visible-text.ts';
import { checkOwnName } from '../../../config/entry/entry-name.ts';
import type { Source } from '../../../config/files/sources.ts';
import { type Candidate, DISABLED_IN_FILE } from '../../../config/merge-files.ts';
import { commandFor, enableCommand, serverCommand } from '../../../config/next-command.ts';
import { formatLocation, toConfigError } from '../../../config/problem.ts';
import type { ConfiguredServer, LoadedConfig } from '../../../config/server-entry.ts';
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

/** Explains how to enable an entry, wherever it is defined. */
export function enableHint(server: Pick<ConfiguredServer, 'id' | 'origin'>): string {
  const command = enableCommand(server);
  return command === undefined
    ? `Switch it on in ${formatLocation(server.origin.file, server.origin.line)}.`
    : `Run: ${command}`;
}

/** Builds the error for a disabled server, with the command that enables it if there is one. */
export function disabledError(server: Pick<ConfiguredServer, 'id' | 'origin'>, reason: string): AppError {
  const { id, origin } = server;
  const advice = reason === DISABLED_IN_FILE ? ` ${enableHint(server)}` : '';
  const where = formatLocation(origin.file, origin.line);
  return new AppError('USAGE', `${quoteIfNeeded(id)} (${where}) is off: ${escapeInvisible(reason)}.${advice}`);
}

/** Builds the error for an id that is not in the requested file but in another one. */
export function definedElsewhereError(
  id: string,
  { command, scope, found }: { readonly command: string; readonly scope: Scope; readonly found: Candidate },
): AppError {
  const { file, line, layer } = found.entry.origin;
  const head = `${quoteIfNeeded(id)} is not in the ${scope} config, but in ${formatLocation(file, line)}.`;
  const next =
    layer === 'project' || layer === 'global'
      ? `Run: ${serverCommand(`mcp ${command}`, id, ` --scope ${layer}`)}`
      : 'That file belongs to other programs too, and switchboard does not write to it: edit it there.';
  return new AppError('USAGE', `${head} ${next}`, { data: { server: id, file, line } });
}

/** Builds the error for an entry that was written but not trusted, because another process changed the file. */
export function changedConcurrentlyError({ file }: Pick<Source, 'file'>, id: string): AppError {
  const message = `${quoteIfNeeded(id)} was written to ${formatLocation(file, 0)}, but another process changed the file at once, so the entry is not trusted.`;
  return new AppError('DENIED', `${message} Check the file, then run: switchboard trust`, {
    data: { server: id, file },
  });
}
