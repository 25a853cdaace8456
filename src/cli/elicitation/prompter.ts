import { createInterface } from 'node:readline/promises';
import type { Prompter } from './answer-elicitation.ts';

export interface OpenPrompter extends Prompter {
  close(): void;
}

/** Prompts on the terminal until it is closed. `signal` aborts when the request is cancelled. */
export function openPrompter(signal: AbortSignal): OpenPrompter {
  const readline = createInterface({ input: process.stdin, output: process.stderr });
  let isClosed = signal.aborted;
  return {
    print: (line) => void process.stderr.write(`${line}\n`),
    prompt(question) {
      if (isClosed) return Promise.resolve(undefined);
      return new Promise((resolve) => {
        const end = () => {
          isClosed = true;
          process.stderr.write('\n');
          settle(undefined);
        };
        const settle = (line: string | undefined) => {
          readline.off('SIGINT', end).off('close', end);
          signal.removeEventListener('abort', end);
          resolve(line);
        };
        readline.once('SIGINT', end).once('close', end);
        signal.addEventListener('abort', end, { once: true });
        readline.question(question).then(settle, end);
      });
    },
    close: () => readline.close(),
  };
}
