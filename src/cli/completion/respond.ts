import type { Surroundings } from '../../config/files/folders.ts';
import { readTypedLine, toTyped } from './bash-line.ts';
import { completeWord } from './candidates.ts';
import { readConfiguredIds } from './configured-ids.ts';
import { readKnownNames } from './known-names.ts';
import type { Names } from './values.ts';

/** What a shell asks at a press of the key: the arguments after `switchboard completion`. */
export function isQuestion([shape]: readonly string[]): boolean {
  return shape === '--words' || shape === '--line';
}

/**
 * The answers to that, one in a line. Connects to nothing, starts and writes nothing, and never throws: without knowledge
 * there are none. Synchronous, because this is all that the process is started for.
 */
export function reply(
  [shape, how = '', end, ...words]: readonly string[],
  surroundings: Surroundings,
): readonly string[] {
  if (end !== '--') return [];
  const names: Names = {
    ids: (config) => readConfiguredIds(surroundings, config),
    known: () => readKnownNames(surroundings),
  };
  try {
    return shape === '--line' ? replyToLine(words[0] ?? '', how, names) : replyToWords(words, Number(how), names);
  } catch {
    // Whoever presses a key wants no message in the middle of the line.
    return [];
  }
}

/** For bash: `--line <its word breaks> -- <the line up to the cursor>`. Each answer is as it is to be inserted. */
function replyToLine(line: string, breaks: string, names: Names): readonly string[] {
  const typed = readTypedLine(line, breaks);
  if (typed === undefined) return [];
  const found = completeWord(typed.words, typed.current, names);
  return found.flatMap(({ word }) => toTyped(word, typed) ?? []);
}

/** For the others, which know their quotes: `--words <index of the one at the cursor> -- <all words>`. */
function replyToWords(words: readonly string[], index: number, names: Names): readonly string[] {
  const current = words[index];
  if (current === undefined) return [];
  const found = completeWord(words.slice(0, index), current, names);
  return found.map(({ word, about }) => (about === '' ? word : `${word}\t${about}`));
}
