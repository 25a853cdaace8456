import { createInterface } from 'node:readline/promises';
import type { Asker } from './answer-elicitation.ts';

export interface OpenAsker extends Asker {
  close(): void;
}

/** Asks on the terminal until it is closed. `signal`: nobody wants to know any more. */
export function openAsker(signal: AbortSignal): OpenAsker {
  const dialogue = createInterface({ input: process.stdin, output: process.stderr });
  let isOver = signal.aborted;
  return {
    say: (line) => void process.stderr.write(`${line}\n`),
    ask(question) {
      if (isOver) return Promise.resolve(undefined);
      return new Promise((resolve) => {
        const end = () => {
          isOver = true;
          process.stderr.write('\n');
          settle(undefined);
        };
        const settle = (line: string | undefined) => {
          dialogue.off('SIGINT', end).off('close', end);
          signal.removeEventListener('abort', end);
          resolve(line);
        };
        dialogue.once('SIGINT', end).once('close', end);
        signal.addEventListener('abort', end, { once: true });
        dialogue.question(question).then(settle, end);
      });
    },
    close: () => dialogue.close(),
  };
}
