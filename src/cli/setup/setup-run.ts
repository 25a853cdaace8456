import { AppError } from '../../base/errors.ts';
import { openSetupJournal, type SetupJournalStore } from '../../clients/setup/journal.ts';
import type { Environment } from '../../config/files/folders.ts';
import { type CommandContext, environmentOf } from '../command-context.ts';
import { createStyle, type Style } from '../terminal/style.ts';
import { wrap } from '../terminal/wrap.ts';

/** What every step of setup needs. */
export interface SetupRun {
  readonly context: CommandContext;
  readonly environment: Environment;
  readonly journal: SetupJournalStore;
  /** Aborts when the user interrupts setup. */
  readonly signal: AbortSignal;
  /** Whether questions may be asked. */
  readonly isInteractive: boolean;
  readonly style: Style;
  /** Prints text, wrapped on a terminal. Prints nothing with `--json`. */
  show(text: string): void;
  /** Prints a heading after a blank line. */
  showHeading(text: string): void;
  /** Prints a line that begins with a symbol. */
  showOutcome(tone: 'good' | 'warning' | 'bad', text: string): void;
  /** Throws CANCELLED if the user has interrupted setup. */
  throwIfInterrupted(): void;
}

interface SetupRunOptions extends Pick<SetupRun, 'signal' | 'isInteractive'> {
  readonly isJson: boolean;
}

export function createSetupRun(context: CommandContext, { isJson, isInteractive, signal }: SetupRunOptions): SetupRun {
  const environment = environmentOf(context);
  const { output } = context;
  const style = createStyle({ isTerminal: output.screen !== undefined, env: context.env });
  const width = () => (output.screen === undefined ? undefined : Math.min(output.screen.size().columns, MAX_WIDTH));
  const print = (text: string) => {
    if (!isJson) output.answer(text);
  };
  return {
    context,
    environment,
    journal: openSetupJournal(environment),
    signal,
    isInteractive,
    style,
    show(text) {
      const columns = width();
      print(columns === undefined ? text : wrap(text, columns));
    },
    showHeading: (text) => print(`\n${style.paint(text, 'heading')}`),
    showOutcome(tone, text) {
      const columns = width();
      const indented = columns === undefined ? `    ${text}` : wrap(`    ${text}`, columns);
      print(`  ${style.symbol(tone)} ${indented.slice(4)}`);
    },
    throwIfInterrupted() {
      if (signal.aborted) throw new AppError('CANCELLED', 'Interrupted.');
    },
  };
}

/** Longer lines are hard to read. */
const MAX_WIDTH = 120;

/** Formats `1 server`, `2 servers`. */
export function countText(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
