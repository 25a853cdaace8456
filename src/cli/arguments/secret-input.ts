import { AppError } from '../../base/errors.ts';

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
  let ahead = '';
  const ask = async (question: string, instead: string) => {
    if (!input.isTTY || !output.isTTY) throw new AppError('USAGE', instead);
    return readHidden(question, { input, output });
  };
  return {
    ask,
    async nextLine(question, instead) {
      if (input.isTTY) return ask(question, instead);
      const { line, rest } = await readLine(input, ahead);
      ahead = rest;
      if (line !== '') return line;
      throw new AppError('USAGE', `There is no line with the ${question} on stdin.`);
    },
  };
}

/** No secret is that long: whatever writes on and on is not meant for us. */
const MAX_LINE_LENGTH = 64 * 1024;

/** Up to the end of a line, not of stdin: who writes it may go on living. */
function readLine(input: NodeJS.ReadStream, ahead: string): Promise<{ readonly line: string; readonly rest: string }> {
  input.setEncoding('utf8');
  return new Promise((resolve) => {
    let text = ahead;
    const settle = (end: number) => {
      input.off('data', take).off('end', ended).off('error', ended).pause();
      // A pipe that stays open must not keep us; a file as stdin has neither of these.
      input.unref?.();
      resolve({ line: text.slice(0, end).replace(/\r$/, ''), rest: text.slice(end + 1) });
    };
    const ended = () => settle(text.length);
    const take = (chunk: string) => {
      text += chunk;
      const end = text.indexOf('\n');
      if (end !== -1 || text.length > MAX_LINE_LENGTH) settle(end === -1 ? text.length : end);
    };
    input.ref?.();
    input.on('data', take).once('end', ended).once('error', ended);
    take('');
    if (input.readableEnded) ended();
    else if (!text.includes('\n')) input.resume();
  });
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
