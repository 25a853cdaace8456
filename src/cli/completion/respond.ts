import type { Environment } from '../../config/files/folders.ts';
import { parseBashLine, quoteForBash } from './bash-line.ts';
import { completeWord } from './candidates.ts';
import { readConfiguredIds } from './configured-ids.ts';
import { readKnownNames } from './known-names.ts';
import type { NameSource } from './values.ts';

/** What a shell asks at a press of the key: the arguments after `switchboard completion`. */
export function isCompletionRequest([shape]: readonly string[]): boolean {
  return shape === '--words' || shape === '--line';
}

/**
 * The answers to that, one in a line. Connects to nothing, starts and writes nothing, and never throws: without knowledge
 * there are none. Synchronous, because this is all that the process is started for.
 */
export function respond(
  [shape, how = '', end, ...words]: readonly string[],
  environment: Environment,
): readonly string[] {
  if (end !== '--') return [];
  const names: NameSource = {
    serverIds: (config) => readConfiguredIds(environment, config),
    knownServers: () => readKnownNames(environment),
  };
  try {
    return shape === '--line' ? respondToLine(words[0] ?? '', how, names) : respondToWords(words, Number(how), names);
  } catch {
    // Whoever presses a key wants no message in the middle of the line.
    return [];
  }
}

/** For bash: `--line <its word breaks> -- <the line up to the cursor>`. Each answer is as it is to be inserted. */
function respondToLine(line: string, breaks: string, names: NameSource): readonly string[] {
  const typed = parseBashLine(line, breaks);
  if (typed === undefined) return [];
  const found = completeWord(typed.words, typed.current, names);
  return found.flatMap(({ word }) => quoteForBash(word, typed) ?? []);
}

/** For the others, which know their quotes: `--words <index of the one at the cursor> -- <all words>`. */
function respondToWords(words: readonly string[], index: number, names: NameSource): readonly string[] {
  const current = words[index];
  if (current === undefined) return [];
  const found = completeWord(words.slice(0, index), current, names);
  return found.map(({ word, description: about }) => (about === '' ? word : `${word}\t${about}`));
}
