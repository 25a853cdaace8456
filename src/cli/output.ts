/** The only writer of stdout: what a command answers. Everything else belongs on stderr. */
export interface Output {
  answer(text: string): void;
  complain(text: string): void;
  /** Only where stdout is a terminal. */
  readonly screen?: Screen;
  /** False once whoever read stdout has gone: nothing that is answered arrives any more. */
  isRead?(): boolean;
}

/** A terminal that shows stdout. */
export interface Screen {
  /** Of this moment: a window changes. */
  size(): ScreenSize;
  /** Writes text as it is, with what steers the terminal. */
  paint(text: string): void;
  /** Gives back what ends it. */
  onResize(listener: () => void): () => void;
}

export interface ScreenSize {
  readonly columns: number;
  readonly rows: number;
}

type Stdout = NodeJS.WritableStream & {
  readonly isTTY?: boolean;
  readonly columns?: number;
  readonly rows?: number;
};

export function createOutput(stdout: Stdout, stderr: NodeJS.WritableStream): Output {
  let isRead = true;
  // A reader that has seen enough (`| head`) is no failure of ours.
  stdout.on('error', () => {
    isRead = false;
  });
  return {
    answer: (text) => void stdout.write(`${text}\n`),
    complain: (text) => void stderr.write(`${text}\n`),
    ...(stdout.isTTY === true ? { screen: screenOf(stdout) } : {}),
    isRead: () => isRead,
  };
}

/** What a terminal is taken for that does not know its own size. */
const USUAL: ScreenSize = { columns: 80, rows: 24 };

function screenOf(stdout: Stdout): Screen {
  return {
    size: () => ({ columns: stdout.columns || USUAL.columns, rows: stdout.rows || USUAL.rows }),
    paint: (text) => void stdout.write(text),
    onResize(listener) {
      stdout.on('resize', listener);
      return () => void stdout.off('resize', listener);
    },
  };
}
