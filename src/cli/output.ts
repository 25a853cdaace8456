import { messageOf } from '../base/errors.ts';
import { wrap } from './terminal/wrap.ts';

/** The only writer of stdout: what a command answers. Everything else belongs on stderr. */
export interface Output {
  answer(text: string): void;
  /** On a terminal, lines are wrapped between words, unless the text is for a program. */
  report(text: string, options?: { readonly isVerbatim?: boolean }): void;
  /** For a person who waits: shown only where stderr is a terminal. */
  notice?(text: string): void;
  /** Only where stdout is a terminal. */
  readonly screen?: Screen;
  /** False once whoever read stdout has gone: nothing that is answered arrives any more. */
  isStdoutOpen?(): boolean;
}

/** A terminal that shows stdout. */
export interface Screen {
  /** Of this moment: a window changes. */
  size(): ScreenSize;
  /** Writes text as it is, with what steers the terminal. */
  write(text: string): void;
  /** Gives back what ends it. */
  onResize(listener: () => void): () => void;
}

export interface ScreenSize {
  readonly columns: number;
  readonly rows: number;
}

type Stream = NodeJS.WritableStream & {
  readonly isTTY?: boolean;
  readonly columns?: number;
  readonly rows?: number;
};

/** The program that answers: how it was called, and the status that it is to end with. */
interface Program {
  readonly argv: readonly string[];
  exitCode?: number | string | null | undefined;
}

export function createOutput(stdout: Stream, stderr: Stream, program: Program = process): Output {
  let isOpen = true;
  stdout.on('error', (error) => {
    const isFirst = isOpen;
    isOpen = false;
    // A reader that has seen enough (`| head`) is no failure of ours.
    if (!isFirst || ('code' in error && error.code === 'EPIPE')) return;
    // A failure of the command itself keeps its own status.
    program.exitCode ||= WRITE_FAILURE_STATUS;
    stderr.write(`${writeFailureText(error, program.argv)}\n`);
  });
  return {
    answer: (text) => void stdout.write(`${text}\n`),
    report: (text, { isVerbatim = false } = {}) => {
      const width = stderr.isTTY === true && !isVerbatim ? stderr.columns || DEFAULT_SIZE.columns : undefined;
      stderr.write(`${width === undefined ? text : wrap(text, width)}\n`);
    },
    ...(stderr.isTTY === true ? { notice: (text) => void stderr.write(`${text}\n`) } : {}),
    ...(stdout.isTTY === true ? { screen: createScreen(stdout) } : {}),
    isStdoutOpen: () => isOpen,
  };
}

/** The answer is not where it should be: whoever goes by the status must not take it for given. */
const WRITE_FAILURE_STATUS = 1;

function writeFailureText(error: unknown, argv: readonly string[]): string {
  const message = `The answer could not be written to stdout: ${messageOf(error)}.`;
  const hint = 'Make room there, or write it elsewhere.';
  const end = argv.indexOf('--');
  const isJson = (end === -1 ? argv : argv.slice(0, end)).includes('--json');
  if (!isJson) return `${message} ${hint}`;
  return JSON.stringify({ error: { code: 'INTERNAL', retryable: true, message, hint } });
}

/** What a terminal is taken for that does not know its own size. */
const DEFAULT_SIZE: ScreenSize = { columns: 80, rows: 24 };

function createScreen(stdout: Stream): Screen {
  return {
    size: () => ({ columns: stdout.columns || DEFAULT_SIZE.columns, rows: stdout.rows || DEFAULT_SIZE.rows }),
    write: (text) => void stdout.write(text),
    onResize(listener) {
      stdout.on('resize', listener);
      return () => void stdout.off('resize', listener);
    },
  };
}
