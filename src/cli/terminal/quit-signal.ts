import { STOP_SIGNALS } from '../../serve/stop-signals.ts';

/** Aborts when the person quits. */
export interface QuitSignal {
  readonly signal: AbortSignal;
  /** Releases the terminal and the signal handlers. */
  close(): void;
}

/** Ctrl-C is the normal way to quit, not a failure. With a keyboard, `q` does the same. */
export function openQuitSignal({ takesKeys }: { readonly takesKeys: boolean }): QuitSignal {
  const controller = new AbortController();
  const end = () => controller.abort();
  const onStop = (name: NodeJS.Signals) => {
    const [, number = 0] = STOP_SIGNALS.find(([signal]) => signal === name) ?? [];
    if (name !== 'SIGINT') process.exitCode = 128 + number;
    end();
  };
  for (const [name] of STOP_SIGNALS) process.on(name, onStop);
  const closeKeys = takesKeys && process.stdin.isTTY ? listenForKeys(end) : () => {};
  return {
    signal: controller.signal,
    close() {
      for (const [name] of STOP_SIGNALS) process.off(name, onStop);
      closeKeys();
    },
  };
}

/** In raw mode keys arrive one by one, including Ctrl-C and Ctrl-D. */
const QUIT_KEYS: readonly string[] = ['q', 'Q', '\u0003', '\u0004'];

function listenForKeys(end: () => void): () => void {
  const { stdin } = process;
  const onKeys = (keys: Buffer) => {
    const typed = keys.toString('latin1');
    if (QUIT_KEYS.some((key) => typed.includes(key))) end();
  };
  stdin.setRawMode(true);
  // Losing the terminal also quits.
  stdin.on('data', onKeys).on('end', end).on('error', end);
  return () => {
    // The `error` listener stays, because a lost terminal may still emit one.
    stdin.off('data', onKeys).off('end', end);
    stdin.setRawMode(false);
    stdin.pause();
  };
}
