import { setTimeout as delay } from 'node:timers/promises';
import { isAppError } from '../../../base/errors.ts';
import type { Output, Screen } from '../../output.ts';
import { openAlternateScreen } from '../../terminal/alternate-screen.ts';
import { openQuitSignal } from '../../terminal/quit-signal.ts';
import { truncate } from '../../terminal/width.ts';
import { toJson } from '../config/change-result.ts';
import type { StatusSnapshot } from './snapshot.ts';

export interface WatchOptions {
  read(signal: AbortSignal): Promise<StatusSnapshot>;
  readonly output: Output;
  readonly isJson: boolean;
  /** It ends when so many pictures have been shown; undefined: when somebody ends it. */
  readonly count: number | undefined;
}

/** Looks every second, and shows what it saw when that is something else. */
export async function watchStatus({ read, output, isJson, count }: WatchOptions): Promise<void> {
  const screen = isJson ? undefined : output.screen;
  const { signal, close } = openQuitSignal({ takesKeys: screen !== undefined });
  let viewer: Viewer | undefined;
  try {
    // What cannot be shown at all is told before the screen is taken.
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
    // It is over: the caller sees that for itself.
  });
}

/** What fails now may be well again in a second. */
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
  /** Whether there was something to show. */
  show(picture: StatusSnapshot): boolean;
  close(): void;
}

/** One block after the other, for whoever reads a pipe; what is wrong with the looking goes to stderr. */
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

/** The whole screen. The last picture stays behind, as if it had been asked for once. */
function openScreenViewer(screen: Screen, output: Output): Viewer {
  const alternateScreen = openAlternateScreen(screen);
  let current: StatusSnapshot | undefined;
  const linesOf = ({ lines, warnings: complaints }: StatusSnapshot) => {
    const { columns } = screen.size();
    const apart = complaints.length === 0 ? [] : ['', ...complaints];
    return [...lines(columns, Date.now()), ...apart].map((line) => truncate(line, columns));
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
