import { AppError } from '../base/errors.ts';
import { nearestNames } from '../base/text/nearest-names.ts';
import { verbOrAlias } from './mcp/nearest-verb.ts';
import { verbs } from './mcp/verbs.ts';

/** Planned commands, which are not reported as typing errors. */
const PLANNED = new Set(['install', 'doctor']);

/** Valid top-level arguments that are not commands. */
const OTHER_TOP_LEVEL_WORDS: readonly string[] = ['help', '--help', '--version'];

/** Builds the error for an unknown command, with a suggestion: the exact verb of `mcp` first, then the nearest name. */
export function unknownCommand(name: string, commands: readonly string[]): AppError {
  const text = JSON.stringify(name);
  if (PLANNED.has(name)) return new AppError('USAGE', `There is no command ${text} yet. See: switchboard --help`);
  const meant =
    verbOrAlias(name) ?? nearestNames(name, [...commands, ...OTHER_TOP_LEVEL_WORDS, ...Object.keys(verbs)])[0];
  if (meant === undefined) return new AppError('USAGE', `There is no command ${text}. See: switchboard --help`);
  const near = Object.hasOwn(verbs, meant) ? `switchboard mcp ${meant}` : meant;
  return new AppError('USAGE', `There is no command ${text}. Did you mean ${near}?`);
}
