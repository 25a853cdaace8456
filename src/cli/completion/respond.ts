import type { Environment } from '../../config/files/folders.ts';
import { parseBashLine, quoteForBash } from './bash-line.ts';
import { completeWord } from './candidates.ts';
import { readConfiguredIds, readViewNames } from './configured-ids.ts';
import { readKnownNames } from './known-names.ts';
import type { NameSource } from './values.ts';

/** Whether these arguments of `switchboard completion` are a request of the shell script. */
export function isCompletionRequest([shape]: readonly string[]): boolean {
  return shape === '--words' || shape === '--line';
}

/**
 * Answers such a request, one completion per line. Opens no connection, starts and writes nothing, and never throws:
 * without data there are no completions. Synchronous, because the process does nothing else.
 */
export function respond(
  [shape, how = '', end, ...words]: readonly string[],
  environment: Environment,
): readonly string[] {
  if (end !== '--') return [];
  const names: NameSource = {
    serverIds: (config) => readConfiguredIds(environment, config),
    viewNames: (config) => readViewNames(environment, config),
    knownServers: () => readKnownNames(environment),
  };
  try {
    return shape === '--line' ? respondToLine(words[0] ?? '', how, names) : respondToWords(words, Number(how), names);
  } catch {
    // An error message must not appear in the middle of the command line.
    return [];
  }
}

/** For bash: `--line <its word breaks> -- <the line up to the cursor>`. Bash inserts each answer as it is. */
function respondToLine(line: string, breaks: string, names: NameSource): readonly string[] {
  const typed = parseBashLine(line, breaks);
  if (typed === undefined) return [];
  const found = completeWord(typed.words, typed.current, names);
  return found.flatMap(({ word }) => quoteForBash(word, typed) ?? []);
}

/** For other shells, which handle quotes themselves: `--words <index of the one at the cursor> -- <all words>`. */
function respondToWords(words: readonly string[], index: number, names: NameSource): readonly string[] {
  const current = words[index];
  if (current === undefined) return [];
  const found = completeWord(words.slice(0, index), current, names);
  return found.map(({ word, description }) => (description === '' ? word : `${word}\t${description}`));
}
