import { AppError } from '../../../base/errors.ts';
import { programName } from '../../../base/program-name.ts';
import { escapeInvisible, quoteIfNeeded } from '../../../base/text/visible-text.ts';
import type { Source } from '../../../config/files/sources.ts';
import { type Candidate, DISABLED_IN_FILE } from '../../../config/merge-files.ts';
import { enableCommand, serverCommand } from '../../../config/next-command.ts';
import { formatLocation } from '../../../config/problem.ts';
import type { ConfiguredServer } from '../../../config/server-entry.ts';
import type { Scope } from './definitions.ts';

/** Explains how to enable an entry, wherever it is defined. */
export function enableHint(server: Pick<ConfiguredServer, 'id' | 'origin'>): string {
  const command = enableCommand(server);
  return command === undefined
    ? `Enable it in ${formatLocation(server.origin.file, server.origin.line)}.`
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
      : 'Other programs use that file too, so Switchboard does not write to it. Edit the file yourself.';
  return new AppError('USAGE', `${head} ${next}`, { data: { server: id, file, line } });
}

/** Builds the error for an entry that was written but not trusted, because another process changed the file. */
export function changedConcurrentlyError({ file }: Pick<Source, 'file'>, id: string): AppError {
  const message = `${quoteIfNeeded(id)} was written to ${formatLocation(file, 0)}, but another process changed the file at the same time, so the entry is not trusted.`;
  return new AppError('DENIED', `${message} Check the file, then run: ${programName()} trust`, {
    data: { server: id, file },
  });
}
