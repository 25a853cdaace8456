import { STOP_SIGNALS } from '../../serve/stop-signals.ts';

/** When somebody has seen enough. */
export interface QuitSignal {
  readonly signal: AbortSignal;
  /** The terminal and the signals belong to others again. */
  close(): void;
}

/** Ctrl-C is the usual end and no failure. Where there is a keyboard, `q` does the same. */
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

/** Keys come one by one, and Ctrl-C and Ctrl-D come as keys. */
const QUIT_KEYS: readonly string[] = ['q', 'Q', '\u0003', '\u0004'];

function listenForKeys(end: () => void): () => void {
  const { stdin } = process;
  const onKeys = (keys: Buffer) => {
    const typed = keys.toString('latin1');
    if (QUIT_KEYS.some((key) => typed.includes(key))) end();
  };
  stdin.setRawMode(true);
  // A terminal that goes away ends it too.
  stdin.on('data', onKeys).on('end', end).on('error', end);
  return () => {
    // An error may still come, of a terminal that is gone: somebody must listen for it.
    stdin.off('data', onKeys).off('end', end);
    stdin.setRawMode(false);
    stdin.pause();
  };
}
