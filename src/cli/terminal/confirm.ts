import { isatty } from 'node:tty';
import { AppError } from '../../base/errors.ts';

/** Whether a person can see and answer a prompt. Uses `isatty`, because opening `process.stdin` takes 2 ms. */
export function canPrompt(): boolean {
  return isatty(0) && isatty(2);
}

/** Prompts on the terminal. Only a plain yes counts; Ctrl-C throws CANCELLED with the given message. */
export async function confirm(question: string, cancelMessage: string): Promise<boolean> {
  // Loaded lazily: most commands never prompt, and readline takes a while to load.
  const { createInterface } = await import('node:readline/promises');
  const readline = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const answer = await new Promise<string>((resolve, reject) => {
      readline.once('SIGINT', () => reject(new AppError('CANCELLED', cancelMessage)));
      let isAnswered = false;
      // End of input means no. It leaves the cursor on the line of the prompt.
      readline.once('close', () => {
        if (!isAnswered) process.stderr.write('\n');
        resolve('');
      });
      const settle = (answer: string) => {
        isAnswered = true;
        resolve(answer);
      };
      readline.question(question).then(settle, () => resolve(''));
    });
    return /^\s*y(es)?\s*$/i.test(answer);
  } finally {
    readline.close();
  }
}
