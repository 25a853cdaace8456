import { AppError } from '../../../base/errors.ts';
import { nearestNames } from '../../../base/text/nearest-names.ts';
import { quoteIfNeeded } from '../../../base/text/visible-text.ts';
import { isObject } from '../../../wire/messages.ts';
import { type ArgumentRules, usageError } from '../../arguments/parse-arguments.ts';
import { parseDefinition } from '../tools/describe-tool.ts';

interface PromptArgument {
  readonly name: string;
  readonly isRequired: boolean;
}

/** Returns the declared arguments of a prompt; undefined when it declares none. */
export function declaredArguments(json: string): readonly PromptArgument[] | undefined {
  const declared = parseDefinition(json)['arguments'];
  if (!Array.isArray(declared)) return undefined;
  return declared.flatMap((one: unknown) => {
    const name = isObject(one) ? one['name'] : undefined;
    return typeof name === 'string' ? [{ name, isRequired: isObject(one) && one['required'] === true }] : [];
  });
}

/** Separates `key=value` arguments after the first word, except option values. */
export function splitPairs(
  args: readonly string[],
  rules: ArgumentRules,
): { readonly pairs: ReadonlyMap<string, string>; readonly others: readonly string[] } {
  const pairs = new Map<string, string>();
  const others: string[] = [];
  let hasName = false;
  const end = args.indexOf('--');
  for (const [index, arg] of args.entries()) {
    const isValue = rules.options?.includes(args[index - 1] ?? '') === true;
    const equals = arg.indexOf('=');
    const isWord = !isValue && (!arg.startsWith('-') || (end !== -1 && index > end));
    if (!isWord || equals < 1 || !hasName) {
      others.push(arg);
      hasName ||= isWord;
      continue;
    }
    const key = arg.slice(0, equals);
    if (pairs.has(key)) throw usageError(rules, `${quoteIfNeeded(key)} is given twice.`);
    pairs.set(key, arg.slice(equals + 1));
  }
  return { pairs, others };
}

/** Reports all faults at once, each with its argument. */
export function validatePromptArguments(
  prompt: string,
  pairs: ReadonlyMap<string, string>,
  declared: readonly PromptArgument[],
): void {
  const known = declared.map(({ name }) => name);
  const missing = declared.filter(({ name, isRequired }) => isRequired && !pairs.has(name));
  const unknown = [...pairs.keys()].filter((key) => !known.includes(key));
  const fields = [
    ...missing.map(({ name }) => ({ field: name, message: `${quoteIfNeeded(name)} is missing: text` })),
    ...unknown.map((key) => ({ field: key, message: unknownArgument(key, known) })),
  ];
  if (fields.length === 0) return;
  const takes = known.length === 0 ? 'no arguments' : declared.map(formatArgument).join(' ');
  const faults = fields.map(({ message }) => message).join('; ');
  throw new AppError('USAGE', `${quoteIfNeeded(prompt)}: ${faults}. It takes ${takes}.`, { data: { prompt, fields } });
}

function unknownArgument(key: string, known: readonly string[]): string {
  const [near] = nearestNames(key, known);
  return `${quoteIfNeeded(key)} is not known${near === undefined ? '' : ` (did you mean ${quoteIfNeeded(near)}?)`}`;
}

function formatArgument({ name, isRequired }: PromptArgument): string {
  const word = `${quoteIfNeeded(name)}=…`;
  return isRequired ? word : `[${word}]`;
}
