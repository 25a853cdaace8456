import { quoteIfNeeded } from '../../base/text/visible-text.ts';
import { openProgressLine } from '../terminal/progress-line.ts';
import type { ServerProgress } from './checks/servers.ts';

/** A line at the bottom of the terminal that names the servers that have not answered yet. */
export interface DoctorProgress extends ServerProgress {
  /** Prints above the line. */
  above(print: () => void): void;
  /** May be called twice. */
  close(): void;
}

export function openProgress(isShown: boolean): DoctorProgress {
  const line = openProgressLine(isShown ? 'terminal' : 'none');
  const pending = new Set<string>();
  let total = 0;
  const update = () => {
    const message = [...pending].map(quoteIfNeeded).join(', ');
    line.update({ progress: total - pending.size, total, message });
  };
  return {
    started(name) {
      total += 1;
      pending.add(name);
      update();
    },
    finished(name) {
      pending.delete(name);
      update();
    },
    above(print) {
      line.pause();
      print();
      line.resume();
    },
    close: () => line.close(),
  };
}
