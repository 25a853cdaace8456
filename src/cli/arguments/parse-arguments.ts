import { AppError } from '../../base/errors.ts';
import { nearestNames } from '../../base/text/nearest-names.ts';
import { visibleWord } from '../../base/text/visible-text.ts';

/** What a command takes. `--json`, `--verbose` and `--help` are taken by all. */
export interface ArgumentRules {
  /** As it is typed: `switchboard mcp add`. */
  readonly command: string;
  /** Options with a value, at most once each. */
  readonly once?: readonly string[];
  /** Options with a value, as often as wanted. */
  readonly many?: readonly string[];
  /** Those of them that take whatever follows, an option too. */
  readonly verbatim?: readonly string[];
  /** Those of them whose value may be missing. */
  readonly optional?: readonly string[];
  readonly flags?: readonly string[];
  /** What the words are called that stand for themselves: `<id>`. */
  readonly words: readonly string[];
  /** How many of the words must be there. */
  readonly needed: number;
  /** Whether a command line follows `--`. Otherwise words do, also those that begin with a dash. */
  readonly takesCommand?: boolean;
}

export interface Arguments {
  readonly words: readonly string[];
  /** The command line after `--`. */
  readonly command: readonly string[] | undefined;
  readonly isJson: boolean;
  has(name: string): boolean;
  value(name: string): string | undefined;
  /** Undefined in the place of a value that is missing and may be. */
  values(name: string): readonly (string | undefined)[];
}

/** Nothing is passed over: what nobody knows is refused, with the nearest that somebody does. */
export function readArguments(args: readonly string[], rules: ArgumentRules): Arguments {
  const end = args.indexOf('--');
  const after = end === -1 ? undefined : args.slice(end + 1);
  const takesCommand = rules.takesCommand === true;
  const words: string[] = [];
  const given = new Map<string, (string | undefined)[]>();
  const rest = end === -1 ? [...args] : args.slice(0, end);
  for (let arg = rest.shift(); arg !== undefined; arg = rest.shift()) {
    if (!arg.startsWith('-') || arg === '-') words.push(arg);
    else readOption(arg, { rest, given, rules });
  }
  if (!takesCommand) words.push(...(after ?? []));
  const [extra] = words.slice(rules.words.length);
  const advice = takesCommand ? ': a command stands after --' : '';
  if (extra !== undefined) throw fail(rules, `${visibleWord(extra)} is one word too many${advice}.`);
  if (words.length < rules.needed) throw fail(rules, `${missingWord(words.length, rules)} is missing.`);
  return {
    words,
    command: takesCommand ? after : undefined,
    isJson: given.has('--json'),
    has: (name) => given.has(name),
    value: (name) => given.get(name)?.at(-1),
    values: (name) => given.get(name) ?? [],
  };
}

/** The first required one: `[server] <uri>` without words lacks its `<uri>`. */
function missingWord(given: number, { words }: ArgumentRules): string | undefined {
  return words.slice(given).find((word) => word.startsWith('<')) ?? words[given];
}

/** For whoever finds later that arguments do not go together. */
export function fail({ command, words }: Pick<ArgumentRules, 'command' | 'words'>, message: string): AppError {
  return new AppError('USAGE', `${message} Usage: ${[command, ...words].join(' ')} [options]; see ${command} --help`);
}

const EVERYWHERE: readonly string[] = ['--json', '--verbose'];

interface Reading {
  readonly rest: string[];
  readonly given: Map<string, (string | undefined)[]>;
  readonly rules: ArgumentRules;
}

function readOption(arg: string, { rest, given, rules }: Reading): void {
  const [, name = arg, inline] = /^(--[^=]+)=(.*)$/s.exec(arg) ?? [];
  const { once = [], many = [], flags = [] } = rules;
  const isFlag = [...flags, ...EVERYWHERE].includes(name);
  if (isFlag && inline !== undefined) throw fail(rules, `${name} takes no value.`);
  if (isFlag) return void given.set(name, []);
  const known = [...once, ...many];
  if (!known.includes(name)) throw unknown(name, rules);
  if (once.includes(name) && given.has(name)) throw fail(rules, `${name} may be given once only.`);
  const value = inline ?? nextValue(name, rest, rules);
  // Most often a variable of a shell that is not set. Of those that may be repeated some take it.
  if (value === '' && once.includes(name)) throw fail(rules, `${name} is empty.`);
  given.set(name, [...(given.get(name) ?? []), value]);
}

function unknown(name: string, rules: ArgumentRules): AppError {
  const { once = [], many = [], flags = [], words, takesCommand } = rules;
  const [near] = nearestNames(name, [...once, ...many, ...flags, ...EVERYWHERE]);
  const isWordPossible = takesCommand !== true && words.length > 0;
  const orWord = isWordPossible ? ' If it is a word, write -- before it.' : '';
  const hint = near === undefined ? orWord : ` Did you mean ${near}?`;
  return fail(rules, `There is no option ${visibleWord(name)}.${hint}`);
}

function nextValue(name: string, rest: string[], rules: ArgumentRules): string | undefined {
  const [next] = rest;
  const isOptional = rules.optional?.includes(name) === true;
  const isValue = next !== undefined && (!next.startsWith('--') || rules.verbatim?.includes(name) === true);
  // Here `--bearer-token https://…` would store the server's address as its token.
  if (isOptional && isValue && URL_START.test(next))
    throw fail(rules, `${name} is followed by a URL. Put the URL before it, or write ${name}=<value>.`);
  if (isValue) return rest.shift();
  if (isOptional) return undefined;
  throw fail(rules, `${name} needs a value.`);
}

const URL_START = /^https?:\/\//i;
