import { type CommandContext, environmentOf } from '../command-context.ts';
import { isCompletionRequest, respond } from './respond.ts';

/**
 * Runs `switchboard completion bash|zsh|fish`, which prints the shell script once. The script's own requests, at every
 * key press, write nothing to stderr and always exit with status 0.
 */
export async function completion(args: readonly string[], context: CommandContext): Promise<void> {
  const { output } = context;
  if (isCompletionRequest(args)) {
    const answers = respond(args, environmentOf(context));
    if (answers.length > 0) output.answer(answers.join('\n'));
    return;
  }
  // Loaded lazily: a person waits for the completions above.
  const { scriptFor } = await import('./scripts.ts');
  output.answer(scriptFor(args));
}
