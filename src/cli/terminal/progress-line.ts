import type { Progress } from '../../upstream/connection/own-request.ts';
import { columnsOf } from '../output.ts';
import { progressText } from './progress-text.ts';

/** Shows progress: one line at the bottom of a terminal, or plain lines. */
export interface ProgressLine {
  update(progress: Partial<Progress>): void;
  /** Prints a separate line above the progress line. */
  print(line: string): void;
  /** Suspends output while a prompt is open; queues lines until `resume`. */
  pause(): void;
  resume(): void;
  /** Erases the line on a terminal; elsewhere prints the latest progress. */
  close(): void;
}

export interface ProgressLineOptions {
  readonly write: (text: string) => void;
  /** `none` shows no progress, but still prints lines. */
  readonly kind: 'terminal' | 'plain' | 'none';
  readonly columns: () => number;
  readonly now: () => number;
}

/** Opens a progress line on stderr. */
export function openProgressLine(kind: ProgressLineOptions['kind']): ProgressLine {
  const { stderr } = process;
  return createProgressLine({
    write: (text) => void stderr.write(text),
    kind,
    columns: () => columnsOf(stderr),
    now: () => performance.now(),
  });
}

/** Limits the redraw rate, however fast updates arrive. */
export function createProgressLine({ write, kind, columns, now }: ProgressLineOptions): ProgressLine {
  let shown = '';
  let latest = '';
  let drawnAt = Number.NEGATIVE_INFINITY;
  let isPaused = false;
  const queuedLines: string[] = [];
  const erase = () => {
    if (kind !== 'terminal') return;
    if (shown !== '') write(ERASE);
    shown = '';
  };
  const printLatest = () => {
    if (latest !== shown) write(`${latest}\n`);
    shown = latest;
  };
  const draw = () => {
    if (kind !== 'terminal' || isPaused || latest === '' || latest === shown) return;
    write(`${ERASE}${latest}`);
    shown = latest;
  };
  return {
    update(progress) {
      if (kind === 'none') return;
      latest = progressText(progress, kind === 'terminal' ? columns() - 1 : MAX_PLAIN);
      if (now() - drawnAt < (kind === 'terminal' ? REDRAW_MS : PLAIN_MS)) return;
      drawnAt = now();
      if (kind === 'plain') printLatest();
      else draw();
    },
    print(line) {
      if (isPaused) return void (queuedLines.length < MAX_QUEUED_LINES && queuedLines.push(line));
      erase();
      write(`${line}\n`);
      draw();
    },
    pause() {
      erase();
      isPaused = true;
    },
    resume() {
      isPaused = false;
      for (const line of queuedLines.splice(0)) write(`${line}\n`);
      draw();
    },
    close() {
      if (kind === 'plain') printLatest();
      erase();
      latest = '';
      shown = '';
      drawnAt = Number.NEGATIVE_INFINITY;
    },
  };
}

const ERASE = '\r\u001b[K';
const REDRAW_MS = 80;
const PLAIN_MS = 100;
const MAX_PLAIN = 200;
const MAX_QUEUED_LINES = 1_000;
