import { AppError } from '../../base/errors.ts';
import { nearestNames } from '../../base/text/nearest-names.ts';
import { quoteIfNeeded } from '../../base/text/visible-text.ts';

type Subcommand = (args: readonly string[]) => Promise<void>;

/** Runs a subcommand such as `switchboard mcp resources list`. Rejects an unknown one and suggests the nearest. */
export async function runSubcommand(
  command: string,
  [name, ...rest]: readonly string[],
  subcommands: Readonly<Record<string, Subcommand>>,
): Promise<void> {
  const subcommand = name !== undefined && Object.hasOwn(subcommands, name) ? subcommands[name] : undefined;
  if (subcommand !== undefined) return subcommand(rest);
  const known = Object.keys(subcommands);
  const there = `Choose one of ${known.join(', ')}; see ${command} --help`;
  if (name === undefined || name.startsWith('-'))
    throw new AppError('USAGE', `The subcommand is missing: ${command} ${known.join('|')}; see ${command} --help`);
  const [near] = nearestNames(name, known);
  const hint = near === undefined ? there : `Did you mean ${near}?`;
  throw new AppError('USAGE', `There is no ${command} ${quoteIfNeeded(name)}. ${hint}`, {
    data: { unknown: name, known },
  });
}
