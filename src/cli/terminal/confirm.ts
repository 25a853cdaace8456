import { isatty } from 'node:tty';
import { AppError } from '../../base/errors.ts';

/** Whether a person can see and answer a prompt. Uses `isatty`, because opening `process.stdin` takes 2 ms. */
export function canPrompt(): boolean {
  return isatty(0) && isatty(2);
}

/** Prompts on the terminal. Only a plain yes counts; Ctrl-C throws CANCELLED with the given message. */
export async function confirm(question: string, cancelMessage: string): Promise<boolean> {
  const answer = (await ask(question, cancelMessage)) ?? '';
  return /^\s*y(es)?\s*$/i.test(answer);
}

/**
 * Prompts on the terminal and returns the line that the user types; undefined at the end of input. Ctrl-C throws
 * CANCELLED with the given message.
 */
export async function ask(question: string, cancelMessage: string): Promise<string | undefined> {
  // Loaded lazily: most commands never prompt, and readline takes a while to load.
  const { createInterface } = await import('node:readline/promises');
  const readline = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return await new Promise<string | undefined>((resolve, reject) => {
      readline.once('SIGINT', () => reject(new AppError('CANCELLED', cancelMessage)));
      let isAnswered = false;
      // The end of input leaves the cursor on the line of the prompt.
      readline.once('close', () => {
        if (!isAnswered) process.stderr.write('\n');
        resolve(undefined);
      });
      const settle = (answer: string) => {
        isAnswered = true;
        resolve(answer);
      };
      readline.question(question).then(settle, () => resolve(undefined));
    });
  } finally {
    readline.close();
  }
}
