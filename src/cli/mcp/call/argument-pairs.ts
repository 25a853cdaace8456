import { AppError } from '../../../base/errors.ts';
import { escapeInvisible, quoteIfNeeded } from '../../../base/text/visible-text.ts';
import { findJsonSyntaxError } from '../../../config/json/json-syntax-error.ts';
import { isObject } from '../../../wire/messages.ts';
import { parseExact } from './exact-json.ts';
import { findInexactNumber } from './typed-value.ts';

/** One argument as typed. */
export interface ArgumentPair {
  readonly key: string;
  /** Valid JSON, or a text whose type depends on the schema. */
  readonly text: string;
  readonly isJson: boolean;
  /** The other reading of `key:value=…`, which applies if the schema knows its key. */
  readonly colon?: Pick<ArgumentPair, 'key' | 'text'>;
}

/** Reads the text of a file, or of stdin for `-`. */
export type ReadText = (file: string) => Promise<string>;

/**
 * Parses `key=value`, `key:value` and `key:=JSON`; a value `@file` or `@-` reads the content of that file or stdin. The
 * first `=` or `:` after a known key separates: the schema decides in `buildArguments`.
 */
export async function parsePairs(words: readonly string[], readText: ReadText): Promise<readonly ArgumentPair[]> {
  const pairs: ArgumentPair[] = [];
  for (const word of words) pairs.push(await parsePair(word, readText));
  return pairs;
}

/** Parses `--args`: an object as JSON, `@file`, or `-` for stdin. */
export async function parseArgumentObject(
  written: string,
  readText: ReadText,
): Promise<Readonly<Record<string, unknown>>> {
  const file = written === '-' ? '-' : written.startsWith('@') ? written.slice(1) : undefined;
  const text = file === undefined ? written : await readText(file);
  const value = parseArgument(text, file === undefined ? '--args' : `--args ${quoteIfNeeded(written)}`);
  if (isObject(value)) return value;
  throw new AppError(
    'USAGE',
    `--args takes an object: {"key": value}, not ${escapeInvisible(text.trim().slice(0, MAX_SHOWN))}.`,
  );
}

const MAX_SHOWN = 60;

async function parsePair(word: string, readText: ReadText): Promise<ArgumentPair> {
  const [, colonKey = '', colonText = ''] = /^([^:=]+):(?!=)(.*)$/s.exec(word) ?? [];
  const [, key = colonKey, isJson, written = colonText] = /^([^=]*?)(:?)=(.*)$/s.exec(word) ?? [];
  if (key === '') throw new AppError('USAGE', `${quoteIfNeeded(word)} is not an argument: write key=value.`);
  const text = written.startsWith('@') ? await readArgumentFile(key, written.slice(1), readText) : written;
  const colon = colonKey === '' || colonKey === key ? {} : { colon: { key: colonKey, text: colonText } };
  if (isJson !== ':') return { key, text, isJson: false, ...colon };
  parseArgument(text, quoteIfNeeded(key));
  return { key, text, isJson: true, ...colon };
}

async function readArgumentFile(key: string, file: string, readText: ReadText): Promise<string> {
  try {
    return await readText(file);
  } catch (error) {
    const advice = `To pass text that begins with @, write ${escapeInvisible(key)}:='${escapeInvisible(JSON.stringify(`@${file}`))}'.`;
    const words = error instanceof Error ? error.message : '';
    throw new AppError('USAGE', `${quoteIfNeeded(key)}: ${words} ${advice}`, { cause: error });
  }
}

function parseArgument(text: string, name: string): unknown {
  try {
    const value = parseExact(text);
    const lost = findInexactNumber(text);
    if (lost === undefined) return value;
    throw new AppError(
      'USAGE',
      `${name}: ${escapeInvisible(lost.slice(0, MAX_SHOWN))} cannot be sent exactly as written.`,
    );
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    const fault = findJsonSyntaxError(text);
    const where = fault === undefined ? '' : ` ${fault.message.replace('the file', 'the text')}`;
    const rest = fault === undefined ? '' : text.slice(fault.offset, fault.offset + 20);
    const at = rest === '' ? '' : ` at ${escapeInvisible(JSON.stringify(rest))}`;
    throw new AppError('USAGE', `${name} is not JSON:${where}${at}.`, { cause: error });
  }
}
