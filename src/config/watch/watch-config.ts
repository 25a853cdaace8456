import { isDeepStrictEqual } from 'node:util';
import { describeErrno, errnoOf } from '../../base/files/errno.ts';
import { readFileSignature } from '../../base/files/file-signature.ts';
import { escapeInvisible } from '../../base/text/visible-text.ts';
import { type FolderWatcher, type WatchFailure, watchFolders } from './folder-watcher.ts';
import { findWatchTargets } from './watch-targets.ts';

export interface ConfigWatcher {
  /** Idempotent. No callback runs afterward. */
  close(): void;
}

export interface WatchOptions {
  /** Absolute. Neither they nor their folders need exist. */
  readonly files: readonly string[];
  /** Called when one of the files may have changed, once for changes that occur together. */
  readonly onChange: () => void;
  /** Called at most once, with a sentence to display. */
  readonly onProblem: (message: string) => void;
  readonly debounceMs?: number;
}

/**
 * Reports when files may have changed since this call: a caller that read them before must read them once more. Follows
 * every link and every folder on their paths, and never keeps the process alive.
 */
export function watchConfig(options: WatchOptions): ConfigWatcher {
  return new DebouncedWatcher(options);
}

const DEBOUNCE_MS = 200;
/** Maximum delay of a report during a continuous stream of changes. */
const MAX_WAIT_MS = 2000;
/** Polling interval while a folder cannot be watched. */
const POLL_MS = 2000;
/** Number of attempts if paths change while the watches are set up. After that, a later flush tries again. */
const MAX_ATTEMPTS = 3;

class DebouncedWatcher implements ConfigWatcher {
  readonly #options: WatchOptions;
  readonly #debounceMs: number;
  #folders: FolderWatcher | undefined;
  #signature: string;
  #debounceTimer: NodeJS.Timeout | undefined;
  #pollTimer: NodeJS.Timeout | undefined;
  #firstEventAt = 0;
  #lastEventAt = 0;
  #targetsMayHaveMoved = false;
  #hasReportedFailure = false;
  #isClosed = false;

  constructor(options: WatchOptions) {
    this.#options = options;
    this.#debounceMs = options.debounceMs ?? DEBOUNCE_MS;
    this.#watch();
    // Read after the watches are set up: every later change triggers an event.
    this.#signature = this.#readSignature();
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#debounceTimer);
    this.#stopPolling();
    this.#folders?.close();
  }

  #watch(): void {
    let isSettled = false;
    for (let attempt = 0; attempt < MAX_ATTEMPTS && !isSettled; attempt++) {
      const places = findWatchTargets(this.#options.files);
      this.#folders?.close();
      this.#folders = watchFolders(places, {
        onEvent: (kind) => this.#recordEvent(kind),
        onFailure: (failure) => this.#startPolling(failure),
      });
      isSettled = isDeepStrictEqual(places, findWatchTargets(this.#options.files));
    }
    const failure = this.#folders?.failure;
    if (!isSettled) this.#recordEvent('rename');
    else if (failure === undefined) this.#stopPolling();
    else this.#startPolling(failure);
  }

  /** Only records the event, so that thousands of events a second cost next to nothing. */
  #recordEvent(kind: 'rename' | 'change'): void {
    if (this.#isClosed) return;
    if (kind === 'rename') this.#targetsMayHaveMoved = true;
    this.#lastEventAt = performance.now();
    if (this.#debounceTimer !== undefined) return;
    this.#firstEventAt = this.#lastEventAt;
    this.#scheduleFlush(this.#debounceMs);
  }

  #scheduleFlush(ms: number): void {
    this.#debounceTimer = setTimeout(() => this.#flush(), ms).unref();
  }

  #flush(): void {
    const now = performance.now();
    const untilQuietMs = this.#lastEventAt + this.#debounceMs - now;
    const leftMs = Math.min(untilQuietMs, this.#firstEventAt + MAX_WAIT_MS - now);
    if (leftMs > 0) {
      this.#scheduleFlush(leftMs);
      return;
    }
    this.#debounceTimer = undefined;
    if (this.#targetsMayHaveMoved) {
      this.#targetsMayHaveMoved = false;
      this.#watch();
    }
    const signature = this.#readSignature();
    if (signature === this.#signature) return;
    // During a stream of changes, the next write may occur within the same tick of the file system's clock.
    this.#signature = untilQuietMs > 0 ? 'unsettled' : signature;
    this.#options.onChange();
  }

  #readSignature(): string {
    return this.#options.files.map(readFileSignature).join('\n');
  }

  #startPolling({ folder, error }: WatchFailure): void {
    if (this.#isClosed) return;
    this.#pollTimer ??= setInterval(() => this.#poll(), POLL_MS).unref();
    if (this.#hasReportedFailure) return;
    this.#hasReportedFailure = true;
    this.#options.onProblem(
      `The folder ${escapeInvisible(folder)} cannot be watched (${reasonOf(error)}): config files are checked every ${POLL_MS / 1000} s instead.`,
    );
  }

  /** Reports a change as a rename, because a path that could not be watched may be watchable now. */
  #poll(): void {
    if (this.#readSignature() !== this.#signature) this.#recordEvent('rename');
  }

  #stopPolling(): void {
    clearInterval(this.#pollTimer);
    this.#pollTimer = undefined;
  }
}

/** Explains the two limits that users run into; describes other errors as everywhere else. */
function reasonOf(error: unknown): string {
  switch (errnoOf(error)) {
    case 'ENOSPC':
      return 'the system limit fs.inotify.max_user_watches is reached';
    case 'EMFILE':
      return 'too many files are open';
    default:
      return describeErrno(error);
  }
}
