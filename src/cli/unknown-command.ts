import { AppError } from '../base/errors.ts';
import { nearestNames } from '../base/text/nearest-names.ts';
import { verbOrAlias } from './mcp/nearest-verb.ts';
import { verbs } from './mcp/verbs.ts';

/** Commands that the product will have: they are not answered as typing errors. */
const PLANNED = new Set(['install', 'doctor']);

/** What stands in the place of a command without being one. */
const OTHER_TOP_LEVEL_WORDS: readonly string[] = ['help', '--help', '--version'];

/** A word that is no command, with what was probably meant: the exact verb of `mcp` first, then the nearest name. */
export function unknownCommand(name: string, commands: readonly string[]): AppError {
  const text = JSON.stringify(name);
  if (PLANNED.has(name)) return new AppError('USAGE', `There is no command ${text} yet. See: switchboard --help`);
  const meant =
    verbOrAlias(name) ?? nearestNames(name, [...commands, ...OTHER_TOP_LEVEL_WORDS, ...Object.keys(verbs)])[0];
  if (meant === undefined) return new AppError('USAGE', `There is no command ${text}. See: switchboard --help`);
  const near = Object.hasOwn(verbs, meant) ? `switchboard mcp ${meant}` : meant;
  return new AppError('USAGE', `There is no command ${text}. Did you mean ${near}?`);
}
