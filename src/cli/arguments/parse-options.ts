import { AppError } from '../../base/errors.ts';
import { nearestNames } from '../../base/text/nearest-names.ts';
import { oneLine } from '../../base/text/safe-text.ts';

/** The options of a command that loads little before it serves. `parseArguments` parses those of other commands. */
export interface OptionRules {
  /** As typed: `switchboard gateway`. */
  readonly command: string;
  /** Options with a value, at most once each. */
  readonly options?: readonly string[];
  /** Options whose value may be left out. It is then empty. */
  readonly optionsWithDefault?: readonly string[];
  /** Options with a value, any number of times. */
  readonly repeatableOptions: readonly string[];
  readonly flags: readonly string[];
}

/** Returns the values of each given option. A flag has none. Rejects unknown options. */
export function parseOptions(args: readonly string[], rules: OptionRules): ReadonlyMap<string, readonly string[]> {
  const { optionsWithDefault = [], repeatableOptions, flags } = rules;
  const options = [...(rules.options ?? []), ...optionsWithDefault];
  const values = new Map<string, readonly string[]>();
  const rest = [...args];
  for (let arg = rest.shift(); arg !== undefined; arg = rest.shift()) {
    const [, name = arg, inline] = /^(--[^=]+)=(.*)$/s.exec(arg) ?? [];
    const earlier = values.get(name) ?? [];
    if (flags.includes(arg)) values.set(arg, []);
    else if (options.includes(name) && earlier.length > 0) throw optionError(`${name} may be given only once.`, rules);
    else if (optionsWithDefault.includes(name)) values.set(name, [inline ?? optionalValue(rest)]);
    else if (options.includes(name) || repeatableOptions.includes(name))
      values.set(name, [...earlier, inline ?? nextValue(name, rest, rules)]);
    else throw unknownOption(arg, rules);
  }
  return values;
}

/** Builds the error for options with an invalid value, or that contradict each other. */
export function optionError(message: string, { command }: Pick<OptionRules, 'command'>): AppError {
  return new AppError('USAGE', `${message} See: ${command} --help`);
}

function nextValue(name: string, rest: string[], rules: OptionRules): string {
  const value = rest.shift();
  if (value === undefined || value.startsWith('--')) throw optionError(`${name} needs a value.`, rules);
  return value;
}

function optionalValue(rest: string[]): string {
  return rest[0]?.startsWith('-') === false ? (rest.shift() ?? '') : '';
}

/** Builds the error for an unknown option or argument, with the nearest known one. */
function unknownOption(arg: string, rules: OptionRules): AppError {
  const { command, options = [], optionsWithDefault = [], repeatableOptions, flags } = rules;
  const known = [...options, ...optionsWithDefault, ...repeatableOptions, ...flags, '--help'];
  const [near] = arg.startsWith('-') ? nearestNames(arg.replace(/=.*$/s, ''), known) : [];
  const hint = near === undefined ? '' : ` Did you mean ${near}?`;
  return optionError(`${command} does not accept ${JSON.stringify(oneLine(arg))}.${hint}`, rules);
}
