import { isSecretName } from '../../../base/redaction/redact.ts';
import { quoteIfNeeded } from '../../../base/text/visible-text.ts';
import { isSecret } from '../../../config/secrets/secret-keys.ts';
import { isObject } from '../../../wire/messages.ts';
import { type ArgumentRules, usageError } from '../../arguments/parse-arguments.ts';
import type { ValueReader } from '../config/value-reader.ts';
import { parseSetting, type Setting } from './setting-keys.ts';

/** One `key=value` or `key+=value`. */
export interface Assignment {
  readonly setting: Setting;
  readonly value: unknown;
  /** Adds the value to a list instead of replacing it. */
  readonly isAddition: boolean;
}

interface ParseContext {
  readonly rules: ArgumentRules;
  readonly values: ValueReader;
}

/** Parses `key=value`, `key+=value` and `key:=JSON`. `key=-` reads the value from stdin; a secret key alone prompts. */
export async function parseAssignments(
  words: readonly string[],
  context: ParseContext,
): Promise<readonly Assignment[]> {
  const assignments: Assignment[] = [];
  for (const word of words) assignments.push(await parseAssignment(word, context));
  return joinRepeatedLists(assignments, context.rules);
}

async function parseAssignment(word: string, context: ParseContext): Promise<Assignment> {
  const { rules } = context;
  const [, key = word, operator, written] = /^([^=]*?)(\+|:)?=(.*)$/s.exec(word) ?? [];
  const setting = parseSetting(key, rules);
  const isAddition = operator === '+';
  if (isAddition && setting.type !== 'list') throw usageError(rules, `${key} is not a list: write ${key}=value.`);
  if (operator === ':') return { setting, value: parseJson(key, written ?? '', rules), isAddition };
  const isOpen = written !== undefined || isSecretKey(setting);
  if (!isOpen) throw usageError(rules, `${quoteIfNeeded(key)} has no value: write ${key}=value.`);
  const text = await readValue(setting, written, context);
  return { setting, value: isAddition ? [text] : toValue(setting, text, rules), isAddition };
}

function isSecretKey({ path }: Setting): boolean {
  const [name = '', member = ''] = path;
  return path.length === 2 && (name !== 'oauth' || isSecretName(member));
}

/** Only members of maps are secrets: other values are checked when the entry is complete. */
async function readValue(setting: Setting, written: string | undefined, { values }: ParseContext): Promise<string> {
  const [name = '', member] = setting.path;
  if (member === undefined) return written ?? '';
  const variable = name === 'headers' ? `header_env.${member}=VARIABLE` : undefined;
  return values.read(setting.key, written, {
    what: `value of ${setting.key}`,
    stdin: `${setting.key}=-`,
    variable: name === 'oauth' ? 'oauth.client_secret_env=VARIABLE' : variable,
    isSecret: (value) => !name.endsWith('_env') && name !== 'env_http_headers' && isSecret(member, value),
  });
}

function toValue({ key, type }: Setting, text: string, rules: ArgumentRules): unknown {
  switch (type) {
    case 'text':
      return text;
    case 'number':
      if (text.trim() !== '' && Number.isFinite(Number(text))) return Number(text);
      throw usageError(rules, `${key} takes a number, not ${quoteIfNeeded(text)}.`);
    case 'boolean':
      if (text === 'true' || text === 'false') return text === 'true';
      throw usageError(rules, `${key} takes true or false, not ${quoteIfNeeded(text)}.`);
    case 'list':
      return text.trimStart().startsWith('[') ? parseJson(key, text, rules) : [text];
    case 'map':
      return parseMap(key, text, rules);
  }
}

function parseMap(key: string, text: string, rules: ArgumentRules): unknown {
  const value = text.trimStart().startsWith('{') ? parseJson(key, text, rules) : undefined;
  if (isObject(value)) return value;
  throw usageError(rules, `${key} has members: write ${key}.NAME=value, or ${key}={"NAME":"value"}.`);
}

function parseJson(key: string, text: string, rules: ArgumentRules): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The text itself may be a secret, so it is not repeated.
    throw usageError(rules, `The value of ${key} is not valid JSON.`);
  }
}

/** `args=a args=b` sets a list of two. Any other setting may be given only once. */
function joinRepeatedLists(assignments: readonly Assignment[], rules: ArgumentRules): readonly Assignment[] {
  const joined: Assignment[] = [];
  for (const one of assignments) {
    const at = joined.findIndex(({ setting }) => setting.path.join('.') === one.setting.path.join('.'));
    const before = joined[at];
    if (before === undefined) joined.push(one);
    else if (Array.isArray(before.value) && Array.isArray(one.value))
      joined[at] = { ...before, value: [...before.value, ...one.value] };
    else throw usageError(rules, `${one.setting.key} is given twice: give it once.`);
  }
  return joined;
}
