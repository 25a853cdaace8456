import { text } from 'node:stream/consumers';
import { AppError } from '../base/errors.ts';

/** How a secret gets into a command without standing on the command line. */
export interface SecretSource {
  /** Shows a question and reads a line that nobody sees. Throws USAGE with `instead` where nobody can be asked. */
  ask(question: string, instead: string): Promise<string>;
  /** The next line of stdin; on a terminal it asks. */
  nextLine(question: string, instead: string): Promise<string>;
}

export interface Terminal {
  readonly input: NodeJS.ReadStream;
  readonly output: NodeJS.WriteStream;
}

export function createSecretSource({ input, output }: Terminal): SecretSource {
  let lines: string[] | undefined;
  const ask = async (question: string, instead: string) => {
    if (!input.isTTY || !output.isTTY) throw new AppError('USAGE', instead);
    return readHidden(question, { input, output });
  };
  return {
    ask,
    async nextLine(question, instead) {
      if (input.isTTY) return ask(question, instead);
      lines ??= (await text(input)).split(/\r?\n/);
      const line = lines.shift();
      if (line === undefined || line === '') throw new AppError('USAGE', `stdin ended before the ${question}.`);
      return line;
    },
  };
}

const CANCEL = new Set(['\u0003', '\u0004', '\u001c']);

/** Keys arrive one by one and are not shown; what was typed ahead stays for the next question. */
function readHidden(question: string, { input, output }: Terminal): Promise<string> {
  input.setEncoding('utf8');
  // Before the question is seen: whoever answers at once must not see the answer either.
  input.setRawMode(true);
  output.write(`${question} (not shown): `);
  return new Promise((resolve, reject) => {
    const typed: string[] = [];
    const done = (settle: () => void, left: string) => {
      input.off('data', take);
      input.off('end', gone);
      input.setRawMode(false);
      input.pause();
      if (left !== '') input.unshift(left);
      output.write('\n');
      settle();
    };
    const cancelled = () => reject(new AppError('CANCELLED', `No ${question} was given: nothing is changed.`));
    const gone = () => done(cancelled, '');
    const take = (keys: string) => {
      for (const [index, key] of [...keys].entries()) {
        const left = () => [...keys].slice(index + 1).join('');
        if (CANCEL.has(key)) return done(cancelled, left());
        if (key === '\r' || key === '\n')
          return done(typed.length === 0 ? cancelled : () => resolve(typed.join('')), left());
        if (key === '\u007f' || key === '\b') typed.pop();
        else if (key >= ' ') typed.push(key);
      }
    };
    input.on('data', take);
    input.once('end', gone);
    input.resume();
  });
}
