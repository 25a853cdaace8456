import { AppError } from '../../base/errors.ts';
import { nearestNames } from '../../base/text/nearest-names.ts';
import { visibleWord } from '../../base/text/visible-text.ts';

type Part = (args: readonly string[]) => Promise<void>;

/** A command of several: `switchboard mcp resources list`. What nobody knows is refused, with the nearest that is known. */
export async function runPart(
  command: string,
  [name, ...rest]: readonly string[],
  parts: Readonly<Record<string, Part>>,
): Promise<void> {
  const part = name !== undefined && Object.hasOwn(parts, name) ? parts[name] : undefined;
  if (part !== undefined) return part(rest);
  const known = Object.keys(parts);
  const there = `There are: ${known.join(', ')}; see ${command} --help`;
  if (name === undefined || name.startsWith('-'))
    throw new AppError('USAGE', `What to do is missing: ${command} ${known.join('|')}; see ${command} --help`);
  const [near] = nearestNames(name, known);
  const hint = near === undefined ? there : `Did you mean ${near}?`;
  throw new AppError('USAGE', `There is no ${command} ${visibleWord(name)}. ${hint}`, {
    data: { unknown: name, known },
  });
}
