import { AppError } from '../../../base/errors.ts';
import { visible, visibleWord } from '../../../base/text/visible-text.ts';
import { findJsonFault } from '../../../config/json/json-syntax-error.ts';
import { isObject } from '../../../wire/messages.ts';
import { parseExact } from './exact-json.ts';
import { findLost } from './typed-value.ts';

/** One argument as it was typed. */
export interface Pair {
  readonly key: string;
  /** JSON that can be parsed, or a text whose type the schema tells. */
  readonly text: string;
  readonly isJson: boolean;
}

/** The text of a file, or of stdin for `-`. */
export type ReadText = (file: string) => Promise<string>;

/** `key=value`, `key:=JSON`; a value `@file` or `@-` is what stands there. */
export async function readPairs(words: readonly string[], readText: ReadText): Promise<readonly Pair[]> {
  const pairs: Pair[] = [];
  for (const word of words) pairs.push(await readPair(word, readText));
  return pairs;
}

/** `--args`: an object as JSON, `@file`, or `-` for stdin. */
export async function readArgumentObject(
  written: string,
  readText: ReadText,
): Promise<Readonly<Record<string, unknown>>> {
  const file = written === '-' ? '-' : written.startsWith('@') ? written.slice(1) : undefined;
  const text = file === undefined ? written : await readText(file);
  const value = parseArgument(text, file === undefined ? '--args' : `--args ${visibleWord(written)}`);
  if (isObject(value)) return value;
  throw new AppError(
    'USAGE',
    `--args takes an object: {"key": value}, not ${visible(text.trim().slice(0, MAX_SHOWN))}.`,
  );
}

const MAX_SHOWN = 60;

async function readPair(word: string, readText: ReadText): Promise<Pair> {
  const [, key = '', isJson, written = ''] = /^([^=]*?)(:?)=(.*)$/s.exec(word) ?? [];
  if (key === '') throw new AppError('USAGE', `${visibleWord(word)} names no argument: write key=value.`);
  const text = written.startsWith('@') ? await readFileOf(key, written.slice(1), readText) : written;
  if (isJson !== ':') return { key, text, isJson: false };
  parseArgument(text, visibleWord(key));
  return { key, text, isJson: true };
}

async function readFileOf(key: string, file: string, readText: ReadText): Promise<string> {
  try {
    return await readText(file);
  } catch (error) {
    const advice = `A text that begins with @ is written as ${visible(key)}:='${visible(JSON.stringify(`@${file}`))}'.`;
    const words = error instanceof Error ? error.message : '';
    throw new AppError('USAGE', `${visibleWord(key)}: ${words} ${advice}`, { cause: error });
  }
}

function parseArgument(text: string, name: string): unknown {
  try {
    const value = parseExact(text);
    const lost = findLost(text);
    if (lost === undefined) return value;
    throw new AppError('USAGE', `${name}: ${visible(lost.slice(0, MAX_SHOWN))} would not arrive as it is written.`);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    const fault = findJsonFault(text);
    const where = fault === undefined ? '' : ` ${fault.message.replace('the file', 'the text')}`;
    const rest = fault === undefined ? '' : text.slice(fault.offset, fault.offset + 20);
    const at = rest === '' ? '' : ` at ${visible(JSON.stringify(rest))}`;
    throw new AppError('USAGE', `${name} is not JSON:${where}${at}.`, { cause: error });
  }
}
