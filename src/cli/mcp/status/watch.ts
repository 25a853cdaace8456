import { setTimeout as delay } from 'node:timers/promises';
import { isAppError } from '../../../base/errors.ts';
import { truncateToWidth } from '../../../base/text/display-width.ts';
import { type Output, type Screen, toJson } from '../../output.ts';
import { openAlternateScreen } from '../../terminal/alternate-screen.ts';
import { openQuitSignal } from '../../terminal/quit-signal.ts';
import type { StatusSnapshot } from './snapshot.ts';

export interface WatchOptions {
  read(signal: AbortSignal): Promise<StatusSnapshot>;
  readonly output: Output;
  readonly isJson: boolean;
  /** Ends after this many snapshots; undefined means until the person quits. */
  readonly count: number | undefined;
}

/** Reads the status every second and shows it when it has changed. */
export async function watchStatus({ read, output, isJson, count }: WatchOptions): Promise<void> {
  const screen = isJson ? undefined : output.screen;
  const { signal, close } = openQuitSignal({ takesKeys: screen !== undefined });
  let viewer: Viewer | undefined;
  try {
    // The first read may throw, so it happens before the screen is taken over.
    let snapshot = await read(signal);
    viewer = screen === undefined ? openPlainViewer(output, isJson) : openScreenViewer(screen, output);
    for (let shown = 0; !signal.aborted && output.isStdoutOpen?.() !== false; ) {
      if (viewer.show(snapshot)) shown += 1;
      if (shown === count) break;
      await pause(signal);
      if (!signal.aborted) snapshot = await readAgain(read, signal);
    }
  } finally {
    viewer?.close();
    close();
  }
}

const INTERVAL_MS = 1_000;

async function pause(signal: AbortSignal): Promise<void> {
  await delay(INTERVAL_MS, undefined, { signal }).catch(() => {
    // Aborted: the caller checks the signal itself.
  });
}

/** An error may be gone a second later, so it becomes a snapshot. */
async function readAgain(read: WatchOptions['read'], signal: AbortSignal): Promise<StatusSnapshot> {
  try {
    return await read(signal);
  } catch (error) {
    if (!isAppError(error)) throw error;
    const { code, message } = error;
    return { document: { error: { code, message } }, lines: () => [], warnings: [message], isComplete: false };
  }
}

interface Viewer {
  /** Shows a snapshot. Returns false if nothing changed. */
  show(picture: StatusSnapshot): boolean;
  close(): void;
}

/** Prints one block after the other, for a pipe; warnings go to stderr. */
function openPlainViewer(output: Output, isJson: boolean): Viewer {
  let last: string | undefined;
  let lastWarnings = '';
  return {
    show(snapshot) {
      const document = toJson(snapshot.document);
      if (document === last) return false;
      const isFirst = last === undefined;
      last = document;
      if (isJson) {
        output.answer(document);
        return true;
      }
      const warnings = snapshot.warnings.join('\n');
      if (warnings !== '' && warnings !== lastWarnings) output.report(warnings);
      lastWarnings = warnings;
      output.answer([...(isFirst ? [] : ['']), ...snapshot.lines(undefined, Date.now())].join('\n'));
      return true;
    },
    close: () => {},
  };
}

/** Uses the whole screen. The last snapshot stays visible after closing, as without `--watch`. */
function openScreenViewer(screen: Screen, output: Output): Viewer {
  const alternateScreen = openAlternateScreen(screen);
  let current: StatusSnapshot | undefined;
  const linesOf = ({ lines, warnings: complaints }: StatusSnapshot) => {
    const { columns } = screen.size();
    const apart = complaints.length === 0 ? [] : ['', ...complaints];
    return [...lines(columns, Date.now()), ...apart].map((line) => truncateToWidth(line, columns));
  };
  const unlisten = screen.onResize(() => void (current && alternateScreen.draw(linesOf(current))));
  return {
    show(snapshot) {
      current = snapshot;
      return alternateScreen.draw(linesOf(snapshot));
    },
    close() {
      unlisten();
      alternateScreen.close();
      if (current !== undefined) output.answer(linesOf(current).join('\n'));
    },
  };
}
