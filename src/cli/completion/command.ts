import type { CommandContext } from '../main.ts';
import { isCompletionRequest, respond } from './respond.ts';

/**
 * `switchboard completion bash|zsh|fish` prints what the shell is told once. What it asks later, at every press of the
 * key, is answered without a word on stderr, and always with status 0.
 */
export async function completion(args: readonly string[], context: CommandContext): Promise<void> {
  const { output } = context;
  if (isCompletionRequest(args)) {
    const { cwd, home, env } = context;
    const answers = respond(args, { cwd, home, env, platform: process.platform });
    if (answers.length > 0) output.answer(answers.join('\n'));
    return;
  }
  // Loaded for this alone: a person waits for the answers above.
  const { scriptFor } = await import('./scripts.ts');
  output.answer(scriptFor(args));
}
