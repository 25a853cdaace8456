import type { ControlSocket } from '../control/socket/control-socket.ts';
import { runOrWarn } from './run-or-warn.ts';

export interface DelayedControlSocket {
  /**
   * Stops accepting connections. Call it before pending calls have ended: those may take longer than the client waits
   * before it kills the process.
   */
  stopAccepting(): void;
  close(): Promise<void>;
}

export interface DelayedControlSocketOptions {
  /** What runs here: `gateway`. */
  readonly subject: string;
  /** Undefined when no socket can be opened. */
  readonly open: () => Promise<ControlSocket | undefined>;
  readonly warn: (text: string) => void;
}

/** Work that would slow down the start begins after this time. */
export const START_AFTER_MS = 300;

/** Opens the control socket after the start. A failure does not end the server. */
export function openControlSocketLater({ subject, open, warn }: DelayedControlSocketOptions): DelayedControlSocket {
  let control: Promise<ControlSocket | undefined> | undefined;
  const timer = setTimeout(() => {
    control = runOrWarn(`The status of this ${subject} cannot be queried`, warn, open);
  }, START_AFTER_MS);
  return {
    stopAccepting() {
      clearTimeout(timer);
      void control?.then((opened) => opened?.withdraw());
    },
    async close() {
      clearTimeout(timer);
      await (await control)?.close();
    },
  };
}
