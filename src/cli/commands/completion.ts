import { readKnownNames } from '../../config/known-names.ts';
import { readConfiguredIds } from '../../config/known-names-configured.ts';
import { completeWord } from '../completion/answers.ts';
import { readTypedLine, toTyped } from '../completion/typed-line.ts';
import type { Names } from '../completion/values.ts';
import type { CommandContext } from '../main.ts';

/**
 * `switchboard completion bash|zsh|fish` prints what the shell is told once. What it asks later, at every press of the
 * key, is answered without a connection, without a word on stderr, and always with status 0.
 */
export async function completion(args: readonly string[], context: CommandContext): Promise<void> {
  const [shell = '', how = '', end, ...words] = args;
  if (shell === '--words' || shell === '--line') {
    const answers = end === '--' ? answer(shell, how, { words, context }) : [];
    if (answers.length > 0) context.output.answer(answers.join('\n'));
    return;
  }
  // Loaded for this alone: the answers below are waited for.
  const { scriptFor } = await import('../completion/scripts.ts');
  context.output.answer(scriptFor(args));
}

interface Question {
  readonly words: readonly string[];
  readonly context: CommandContext;
}

function answer(shape: '--words' | '--line', how: string, { words, context }: Question): readonly string[] {
  try {
    const names = namesOf(context);
    return shape === '--line' ? answerLine(words[0] ?? '', how, names) : answerWords(words, Number(how), names);
  } catch {
    // Whoever presses a key wants no message in the middle of the line.
    return [];
  }
}

/** For bash: `--line <its word breaks> -- <the line up to the cursor>`. Each answer is as it is to be inserted. */
function answerLine(line: string, breaks: string, names: Names): readonly string[] {
  const typed = readTypedLine(line, breaks);
  if (typed === undefined) return [];
  const found = completeWord(typed.words, typed.current, names);
  return found.flatMap(({ word }) => toTyped(word, typed) ?? []);
}

/** For the others, which know their quotes: `--words <index of the one at the cursor> -- <all words>`. */
function answerWords(words: readonly string[], index: number, names: Names): readonly string[] {
  const current = words[index];
  if (current === undefined || index < 1) return [];
  const found = completeWord(words.slice(0, index), current, names);
  return found.map(({ word, about }) => (about === '' ? word : `${word}\t${about}`));
}

function namesOf({ cwd, home, env }: CommandContext): Names {
  const surroundings = { cwd, home, env, platform: process.platform };
  return {
    ids: (config) => readConfiguredIds(surroundings, config),
    known: () => readKnownNames(surroundings),
  };
}
