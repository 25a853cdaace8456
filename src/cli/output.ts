import { messageOf } from '../base/errors.ts';
import { escapeInvisible } from '../base/text/visible-text.ts';
import { createStyle, type Style } from './terminal/style.ts';
import { wrap } from './terminal/wrap.ts';

/** The only writer to stdout, for the answer of a command. Everything else goes to stderr. */
export interface Output {
  answer(text: string): void;
  /**
   * Writes to stderr. Wraps lines between words on a terminal, unless the text is for a program. On a terminal, marks
   * warnings and the error of the command.
   */
  report(text: string, options?: ReportOptions): void;
  /** Informs a waiting person. Present only when stderr is a terminal. */
  notice?(text: string): void;
  /** Present only when stdout is a terminal. */
  readonly screen?: Screen;
  /** False after the reader of stdout has closed it: further answers are lost. */
  isStdoutOpen?(): boolean;
}

interface ReportOptions {
  readonly isVerbatim?: boolean;
  /** The text is the error of the command. */
  readonly isError?: boolean;
}

/** A terminal that shows stdout. */
export interface Screen {
  /** Returns the current size, which changes with the window. */
  size(): ScreenSize;
  /** Writes text unchanged, including terminal control sequences. */
  write(text: string): void;
  /** Returns a function that removes the listener. */
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

/** The process: its arguments and environment, and the exit status to set. */
interface Program {
  readonly argv: readonly string[];
  readonly env?: Readonly<Record<string, string | undefined>>;
  exitCode?: number | string | null | undefined;
}

export function createOutput(stdout: Stream, stderr: Stream, program: Program = process): Output {
  let isOpen = true;
  stdout.on('error', (error) => {
    const isFirst = isOpen;
    isOpen = false;
    // A reader that closes early (`| head`) is not a failure.
    if (!isFirst || ('code' in error && error.code === 'EPIPE')) return;
    // A failure of the command itself keeps its own status.
    program.exitCode ||= WRITE_FAILURE_STATUS;
    stderr.write(`${writeFailureText(error, program.argv)}\n`);
  });
  return {
    answer: (text) => void stdout.write(`${text}\n`),
    report: (text, { isVerbatim = false, isError = false } = {}) => {
      if (isVerbatim) return void stderr.write(`${text}\n`);
      const isTerminal = stderr.isTTY === true;
      const shown = isTerminal ? wrap(text, columnsOf(stderr) - (isError ? MARK_WIDTH : 0)) : text;
      const style = createStyle({ isTerminal, env: program.env ?? {} });
      stderr.write(`${style.hasColour ? markReport(shown, style, isError) : shown}\n`);
    },
    ...(stderr.isTTY === true ? { notice: (text) => void stderr.write(`${text}\n`) } : {}),
    ...(stdout.isTTY === true ? { screen: createScreen(stdout) } : {}),
    isStdoutOpen: () => isOpen,
  };
}

/** Width of the mark before an error. */
const MARK_WIDTH = 2;
const WARNING = 'Warning:';

function markReport(text: string, style: Style, isError: boolean): string {
  if (isError) return `${style.symbol('bad')} ${text}`;
  return text.startsWith(WARNING) ? style.paint(WARNING, 'warning') + text.slice(WARNING.length) : text;
}

/** The answer is lost, so a caller that checks the status must not assume success. */
const WRITE_FAILURE_STATUS = 1;

function writeFailureText(error: unknown, argv: readonly string[]): string {
  const message = `Could not write the output to stdout: ${messageOf(error)}.`;
  const hint = 'Free up space there, or write it elsewhere.';
  const end = argv.indexOf('--');
  const isJson = (end === -1 ? argv : argv.slice(0, end)).includes('--json');
  if (!isJson) return `${message} ${hint}`;
  return JSON.stringify({ error: { code: 'INTERNAL', retryable: true, message, hint } });
}

/** Returns the width of a terminal. Some terminals report 0. */
export function columnsOf({ columns }: Pick<Stream, 'columns'>): number {
  return columns || DEFAULT_SIZE.columns;
}

/** Default for a terminal that does not report its size. */
const DEFAULT_SIZE: ScreenSize = { columns: 80, rows: 24 };

function createScreen(stdout: Stream): Screen {
  return {
    size: () => ({ columns: columnsOf(stdout), rows: stdout.rows || DEFAULT_SIZE.rows }),
    write: (text) => void stdout.write(text),
    onResize(listener) {
      stdout.on('resize', listener);
      return () => void stdout.off('resize', listener);
    },
  };
}

/** Formats one JSON document without terminal control sequences. */
export function toJson(
  document: Readonly<Record<string, unknown>>,
  stringify: (value: unknown) => string = JSON.stringify,
): string {
  return escapeInvisible(stringify({ v: 1, ...document }));
}
