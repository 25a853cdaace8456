import { AppError } from '../base/errors.ts';
import { programName } from '../base/program-name.ts';
import { nearestNames } from '../base/text/nearest-names.ts';
import { quoteIfNeeded } from '../base/text/visible-text.ts';
import { verbOrAlias } from './mcp/nearest-verb.ts';
import { verbs } from './mcp/verbs.ts';

/** Valid top-level arguments that are not commands. */
const OTHER_TOP_LEVEL_WORDS: readonly string[] = ['help', '--help', '--version'];

/** Words that people guess, and what to type instead. */
const GUESSES: Readonly<Record<string, readonly string[]>> = {
  // Subcommands of other commands, typed without their parent.
  ...{ say: ['codex say'], sessions: ['codex sessions'], show: ['get', 'codex show'], run: ['call', 'codex run'] },
  ...{ init: ['setup'], install: ['setup', 'connect'], start: ['gateway'], serve: ['gateway'], server: ['gateway'] },
  ...{ undo: ['setup --undo', 'disconnect'], revert: ['setup --undo'], restore: ['setup --undo'] },
  ...{ 'remove-all': ['uninstall'], purge: ['uninstall'], reset: ['uninstall'], update: ['upgrade'] },
  ...{
    check: ['doctor'],
    health: ['doctor'],
    why: ['doctor'],
    diagnose: ['doctor'],
    debug: ['doctor'],
    fix: ['doctor --fix'],
  },
  ...{ config: ['list', 'get'], servers: ['list'], clients: ['share', 'connect'], version: ['--version'] },
  ...{
    new: ['add'],
    create: ['add'],
    search: ['tools'],
    find: ['tools'],
    secrets: ['secret'],
    env: ['secret'],
    tokens: ['token'],
  },
};

export interface KnownCommands {
  readonly commands: readonly string[];
  /** Verbs of `mcp` that work without `mcp`. */
  readonly shortForms: readonly string[];
}

/**
 * Builds the error for an unknown command and suggests the whole command to type, with its parent: what people mean by
 * the word first, then the verb of `mcp` of that name, then the nearest name.
 */
export function unknownCommand(name: string, { commands, shortForms }: KnownCommands): AppError {
  const text = JSON.stringify(name);
  const known = [...commands, ...OTHER_TOP_LEVEL_WORDS, ...Object.keys(verbs), ...Object.keys(GUESSES)];
  const [near] = nearestNames(name, known);
  const meant = guessesFor(name) ?? guessesFor(near) ?? (near === undefined ? undefined : [near]);
  if (meant === undefined) return new AppError('USAGE', `There is no command ${text}. See: ${programName()} --help`);
  const suggested = meant.map((one) => wholeCommand(one, shortForms)).join(' or ');
  return new AppError('USAGE', `There is no command ${text}. Did you mean ${suggested}?`);
}

/** Returns the commands for a word, which may be a guess, a verb of `mcp` or its alias, or a command itself. */
function guessesFor(word: string | undefined): readonly string[] | undefined {
  if (word === undefined) return undefined;
  if (Object.hasOwn(GUESSES, word)) return GUESSES[word];
  const verb = verbOrAlias(word);
  return verb === undefined ? undefined : [verb];
}

function wholeCommand(name: string, shortForms: readonly string[]): string {
  const isOnlyOfMcp = Object.hasOwn(verbs, name) && !shortForms.includes(name);
  return `${programName()} ${isOnlyOfMcp ? 'mcp ' : ''}${name}`;
}

/** Builds the error for an unknown subcommand, with the nearest one. */
export function unknownSubcommand(parent: string, name: string, known: readonly string[]): AppError {
  const [near] = nearestNames(name, known);
  const hint = near === undefined ? `Choose one of ${known.join(', ')}.` : `Did you mean ${parent} ${near}?`;
  return new AppError('USAGE', `There is no ${parent} ${quoteIfNeeded(name)}. ${hint} See: ${parent} --help`, {
    data: { unknown: name, known },
  });
}
