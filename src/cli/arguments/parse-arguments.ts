import { AppError } from '../../base/errors.ts';
import { programName } from '../../base/program-name.ts';
import { nearestNames } from '../../base/text/nearest-names.ts';
import { quoteIfNeeded } from '../../base/text/visible-text.ts';

/** Arguments of a command. Every command also takes `--json`, `--verbose` and `--help`. */
export interface ArgumentRules {
  /** As typed: `switchboard mcp add`. */
  readonly command: string;
  /** Options with a value, at most once each. */
  readonly options?: readonly string[];
  /** Options with a value, any number of times. */
  readonly repeatableOptions?: readonly string[];
  /** The subset that takes any next argument as its value, even an option. */
  readonly verbatimOptions?: readonly string[];
  /** The subset whose value may be missing. */
  readonly optionalValues?: readonly string[];
  readonly flags?: readonly string[];
  /** Names of the positional arguments: `<id>`. A last one such as `[names…]` accepts any number. */
  readonly positionals: readonly string[];
  /** Number of mandatory positional arguments. */
  readonly requiredPositionals: number;
  /** Whether a command line follows `--`. Otherwise positional arguments do, even if they begin with a dash. */
  readonly takesCommand?: boolean;
}

export interface Arguments {
  readonly positionals: readonly string[];
  /** The command line after `--`. */
  readonly command: readonly string[] | undefined;
  readonly isJson: boolean;
  has(name: string): boolean;
  value(name: string): string | undefined;
  /** Contains undefined for each omitted optional value. */
  values(name: string): readonly (string | undefined)[];
}

/** Parses the arguments of a command. Ignores nothing: rejects an unknown option and suggests the nearest known one. */
export function parseArguments(args: readonly string[], rules: ArgumentRules): Arguments {
  const end = args.indexOf('--');
  const after = end === -1 ? undefined : args.slice(end + 1);
  const takesCommand = rules.takesCommand === true;
  const positionals: string[] = [];
  const given = new Map<string, (string | undefined)[]>();
  const rest = end === -1 ? [...args] : args.slice(0, end);
  for (let arg = rest.shift(); arg !== undefined; arg = rest.shift()) {
    if (!arg.startsWith('-') || arg === '-') positionals.push(arg);
    else parseOption(arg, { rest, given, rules });
  }
  if (!takesCommand) positionals.push(...(after ?? []));
  const isRepeatable = rules.positionals.at(-1)?.includes('…') === true;
  const [extra] = isRepeatable ? [] : positionals.slice(rules.positionals.length);
  const advice = takesCommand ? ': put the command after --' : '';
  if (extra !== undefined) throw usageError(rules, `Unexpected argument ${quoteIfNeeded(extra)}${advice}.`);
  if (positionals.length < rules.requiredPositionals)
    throw usageError(rules, `${missingPositional(positionals.length, rules)} is missing.`);
  return {
    positionals,
    command: takesCommand ? after : undefined,
    isJson: given.has('--json'),
    has: (name) => given.has(name),
    value: (name) => given.get(name)?.at(-1),
    values: (name) => given.get(name) ?? [],
  };
}

/** Returns the first required one: `[server] <uri>` without arguments lacks its `<uri>`. */
function missingPositional(given: number, { positionals }: ArgumentRules): string | undefined {
  return positionals.slice(given).find((positional) => positional.startsWith('<')) ?? positionals[given];
}

/** Builds the error for arguments that contradict each other. */
export function usageError(
  { command, positionals }: Pick<ArgumentRules, 'command' | 'positionals'>,
  message: string,
): AppError {
  const typed = command.replace(/^switchboard/, programName());
  return new AppError('USAGE', `${message} Usage: ${[typed, ...positionals].join(' ')} [options]; see ${typed} --help`);
}

const COMMON_FLAGS: readonly string[] = ['--json', '--verbose'];

interface ParseState {
  readonly rest: string[];
  readonly given: Map<string, (string | undefined)[]>;
  readonly rules: ArgumentRules;
}

function parseOption(arg: string, { rest, given, rules }: ParseState): void {
  const [, name = arg, inline] = /^(--[^=]+)=(.*)$/s.exec(arg) ?? [];
  const { options = [], repeatableOptions = [], flags = [] } = rules;
  const isFlag = [...flags, ...COMMON_FLAGS].includes(name);
  if (isFlag && inline !== undefined) throw usageError(rules, `${name} takes no value.`);
  if (isFlag) return void given.set(name, []);
  const known = [...options, ...repeatableOptions];
  if (!known.includes(name)) throw unknownOptionError(name, rules);
  if (options.includes(name) && given.has(name)) throw usageError(rules, `${name} may be given only once.`);
  const value = inline ?? nextValue(name, rest, rules);
  // Usually an unset shell variable. Some repeatable options accept an empty value.
  if (value === '' && options.includes(name)) throw usageError(rules, `${name} is empty.`);
  given.set(name, [...(given.get(name) ?? []), value]);
}

function unknownOptionError(name: string, rules: ArgumentRules): AppError {
  const { options = [], repeatableOptions = [], flags = [], positionals, takesCommand } = rules;
  const [near] = nearestNames(name, [...options, ...repeatableOptions, ...flags, ...COMMON_FLAGS]);
  const isPositionalPossible = takesCommand !== true && positionals.length > 0;
  const orPositional = isPositionalPossible ? ' If it is an argument, write -- before it.' : '';
  const hint = near === undefined ? orPositional : ` Did you mean ${near}?`;
  return usageError(rules, `There is no option ${quoteIfNeeded(name)}.${hint}`);
}

function nextValue(name: string, rest: string[], rules: ArgumentRules): string | undefined {
  const [next] = rest;
  const isOptional = rules.optionalValues?.includes(name) === true;
  const isValue = next !== undefined && (!next.startsWith('--') || rules.verbatimOptions?.includes(name) === true);
  // Otherwise `--bearer-token https://…` would store the server's URL as its token.
  if (isOptional && isValue && URL_START.test(next))
    throw usageError(rules, `${name} is followed by a URL. Put the URL before it, or write ${name}=<value>.`);
  if (isValue) return rest.shift();
  if (isOptional) return undefined;
  throw usageError(rules, `${name} needs a value.`);
}

const URL_START = /^https?:\/\//i;
