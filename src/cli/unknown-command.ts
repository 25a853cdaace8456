import { AppError } from '../base/errors.ts';
import { nearestNames } from '../base/text/nearest-names.ts';
import { quoteIfNeeded } from '../base/text/visible-text.ts';
import { verbOrAlias } from './mcp/nearest-verb.ts';
import { verbs } from './mcp/verbs.ts';

/** Planned commands, which are not reported as typing errors. */
const PLANNED = new Set(['install']);

/** Valid top-level arguments that are not commands. */
const OTHER_TOP_LEVEL_WORDS: readonly string[] = ['help', '--help', '--version'];

/** Subcommands of other commands, which people type without their parent. */
const SUBCOMMANDS: Readonly<Record<string, string>> = {
  ...{ run: 'codex run', say: 'codex say', sessions: 'codex sessions', show: 'codex show' },
};

export interface KnownCommands {
  readonly commands: readonly string[];
  /** Verbs of `mcp` that work without `mcp`. */
  readonly shortForms: readonly string[];
}

/**
 * Builds the error for an unknown command and suggests the whole command to type, with its parent: the exact verb of
 * `mcp` or its alias first, then a subcommand of that name, then the nearest name.
 */
export function unknownCommand(name: string, { commands, shortForms }: KnownCommands): AppError {
  const text = JSON.stringify(name);
  if (PLANNED.has(name)) return new AppError('USAGE', `There is no command ${text} yet. See: switchboard --help`);
  const known = [...commands, ...OTHER_TOP_LEVEL_WORDS, ...Object.keys(verbs), ...Object.keys(SUBCOMMANDS)];
  const exact = Object.hasOwn(SUBCOMMANDS, name) ? name : verbOrAlias(name);
  const meant = exact ?? nearestNames(name, known)[0];
  if (meant === undefined) return new AppError('USAGE', `There is no command ${text}. See: switchboard --help`);
  return new AppError('USAGE', `There is no command ${text}. Did you mean ${wholeCommand(meant, shortForms)}?`);
}

function wholeCommand(name: string, shortForms: readonly string[]): string {
  if (shortForms.includes(name)) return `switchboard ${name}`;
  if (Object.hasOwn(verbs, name)) return `switchboard mcp ${name}`;
  return `switchboard ${SUBCOMMANDS[name] ?? name}`;
}

/** Builds the error for an unknown subcommand, with the nearest one. */
export function unknownSubcommand(parent: string, name: string, known: readonly string[]): AppError {
  const [near] = nearestNames(name, known);
  const hint = near === undefined ? `Choose one of ${known.join(', ')}.` : `Did you mean ${parent} ${near}?`;
  return new AppError('USAGE', `There is no ${parent} ${quoteIfNeeded(name)}. ${hint} See: ${parent} --help`, {
    data: { unknown: name, known },
  });
}
