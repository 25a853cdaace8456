import { AppError } from '../../base/errors.ts';

/** Reads a secret without exposing it on the command line. */
export interface SecretInput {
  /** Prompts for a line without echo. Throws USAGE with `usageMessage` when there is no terminal. */
  prompt(question: string, usageMessage: string): Promise<string>;
  /** Reads the next line of stdin; prompts on a terminal. */
  readLine(question: string, usageMessage: string): Promise<string>;
}

export interface Terminal {
  readonly input: NodeJS.ReadStream;
  readonly output: NodeJS.WriteStream;
}

export function createSecretInput({ input, output }: Terminal): SecretInput {
  let buffered = '';
  const prompt = async (question: string, usageMessage: string) => {
    if (!input.isTTY || !output.isTTY) throw new AppError('USAGE', usageMessage);
    return readHidden(question, { input, output });
  };
  return {
    prompt,
    async readLine(question, usageMessage) {
      if (input.isTTY) return prompt(question, usageMessage);
      const { line, rest } = await readLine(input, buffered);
      buffered = rest;
      if (line !== '') return line;
      throw new AppError('USAGE', `Expected a line with the ${question} on stdin.`);
    },
  };
}

/** Longer than any secret: more input is not meant for this prompt. */
const MAX_LINE_LENGTH = 64 * 1024;

/** Reads to the end of a line, not of stdin: the writer may keep the pipe open. */
function readLine(
  input: NodeJS.ReadStream,
  buffered: string,
): Promise<{ readonly line: string; readonly rest: string }> {
  input.setEncoding('utf8');
  return new Promise((resolve) => {
    let text = buffered;
    const settle = (end: number) => {
      input.off('data', onData).off('end', onEnded).off('error', onEnded).pause();
      // An open pipe must not keep the process alive. A file as stdin has neither `ref` nor `unref`.
      input.unref?.();
      resolve({ line: text.slice(0, end).replace(/\r$/, ''), rest: text.slice(end + 1) });
    };
    const onEnded = () => settle(text.length);
    const onData = (chunk: string) => {
      text += chunk;
      const end = text.indexOf('\n');
      if (end !== -1 || text.length > MAX_LINE_LENGTH) settle(end === -1 ? text.length : end);
    };
    input.ref?.();
    input.on('data', onData).once('end', onEnded).once('error', onEnded);
    onData('');
    if (input.readableEnded) onEnded();
    else if (!text.includes('\n')) input.resume();
  });
}

const CANCEL = new Set(['\u0003', '\u0004', '\u001c']);

/** Reads keys in raw mode without echo; leaves text that was typed ahead for the next prompt. */
function readHidden(question: string, { input, output }: Terminal): Promise<string> {
  input.setEncoding('utf8');
  // Before the prompt appears, so that even an immediate answer is not echoed.
  input.setRawMode(true);
  output.write(`${question} (not shown): `);
  return new Promise((resolve, reject) => {
    const typed: string[] = [];
    const done = (settle: () => void, left: string) => {
      input.off('data', onData);
      input.off('end', onEnd);
      input.setRawMode(false);
      input.pause();
      if (left !== '') input.unshift(left);
      output.write('\n');
      settle();
    };
    const cancelled = () => reject(new AppError('CANCELLED', `No ${question} was given. Nothing was changed.`));
    const onEnd = () => done(cancelled, '');
    const onData = (keys: string) => {
      for (const [index, key] of [...keys].entries()) {
        const left = () => [...keys].slice(index + 1).join('');
        if (CANCEL.has(key)) return done(cancelled, left());
        if (key === '\r' || key === '\n')
          return done(typed.length === 0 ? cancelled : () => resolve(typed.join('')), left());
        if (key === '\u007f' || key === '\b') typed.pop();
        else if (key >= ' ') typed.push(key);
      }
    };
    input.on('data', onData);
    input.once('end', onEnd);
    input.resume();
  });
}
