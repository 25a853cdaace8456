import { AppError } from '../../base/errors.ts';
import { programName } from '../../base/program-name.ts';
import { escapeInvisible, quoteIfNeeded } from '../../base/text/visible-text.ts';
import { clients } from '../../clients/clients.ts';
import type { Findings } from '../../clients/import/find-servers.ts';
import { type PlannedServer, tildePath } from '../../clients/import/plan-import.ts';
import type { Environment } from '../../config/files/folders.ts';
import { formatProblem } from '../../config/problem.ts';
import type { ConfigProblem } from '../../config/server-entry.ts';
import type { Arguments } from '../arguments/parse-arguments.ts';

/** The error if files exist but none of them can be used. */
export function unusableFilesError(problems: readonly ConfigProblem[]): AppError {
  const [first, ...others] = problems.map(formatProblem);
  const more = others.length === 0 ? '' : ` ${others.length} more files cannot be used either: see above.`;
  return new AppError('CONFIG_INVALID', `${first}${more}`, { data: { problems } });
}

/** The error for servers that the user named and that were not imported. */
export function conflictsError(conflicts: readonly PlannedServer[]): AppError {
  const ids = conflicts.map(({ id }) => quoteIfNeeded(id)).join(', ');
  const message = `${ids} ${conflicts.length === 1 ? 'is' : 'are'} already in your config with different settings. To overwrite, run the command again with --replace.`;
  return new AppError('USAGE', message, { data: { servers: conflicts.map(({ id }) => id) } });
}

/** The answer if there is nothing to import. */
export function nothingFoundText(parsed: Arguments, { files }: Findings, environment: Environment): string {
  const skipped = files.flatMap((file) =>
    file.skipped.map(({ name, reason }) => `  ${quoteIfNeeded(name)} of ${file.title}: ${escapeInvisible(reason)}`),
  );
  const left = skipped.length === 0 ? [] : ['Not imported:', ...skipped];
  if (parsed.has('--new')) return ['No new servers since the last import.', ...left].join('\n');
  if (files.length > 0) {
    const places = files.map(({ title, file }) => `${title} (${escapeInvisible(tildePath(file, environment))})`);
    return [`No servers to import in ${places.join(', ')}.`, ...left].join('\n');
  }
  const titles = clients.map(({ title }) => title).join(', ');
  return `No config of another client was found. Switchboard knows ${titles}.\nTo import a file: ${programName()} import --from <file>`;
}
