import { AppError } from '../base/errors.ts';
import { quoteIfNeeded } from '../base/text/visible-text.ts';
import { formatLocation } from './problem.ts';
import type { LoadedConfig } from './server-entry.ts';

/**
 * Keeps only the servers with these names; all of them if there are no names. Throws for an unknown name unless
 * `mayBeGone`.
 */
export function selectServers(
  config: LoadedConfig,
  names: readonly string[],
  { mayBeGone = false }: { readonly mayBeGone?: boolean } = {},
): LoadedConfig {
  if (names.length === 0) return config;
  const known = config.servers.map(({ id }) => id);
  const unknown = names.filter((name) => !known.includes(name));
  if (unknown.length > 0 && !mayBeGone) throw unknownNames(unknown, known, config);
  return { ...config, servers: config.servers.filter(({ id }) => names.includes(id)) };
}

function unknownNames(unknown: readonly string[], known: readonly string[], { problems }: LoadedConfig): AppError {
  const show = (names: readonly string[]) => names.map(quoteIfNeeded).join(', ');
  const choice = known.length === 0 ? 'no server is configured' : `there are ${show(known)}`;
  const [problem] = problems;
  const trouble =
    problem === undefined ? '' : ` And ${formatLocation(problem.file, problem.line)} says: ${problem.message}`;
  return new AppError('USAGE', `There is no server ${show(unknown)}: ${choice}.${trouble}`, {
    data: { unknown, known },
  });
}
