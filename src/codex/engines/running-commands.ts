import { type Item, isInProgress } from '../item-types.ts';

/** A command that has started and has not been reported as ended. */
export interface RunningCommand {
  /** The turn or the thread that started it. */
  readonly startedBy: string;
  readonly item: Item;
}

/** The commands that turns or threads have started and not ended. A command may outlive the turn that started it. */
export class RunningCommands {
  readonly #running = new Map<string, RunningCommand>();

  track(startedBy: string, item: Item): void {
    if (item.type !== 'command_execution') return;
    // An engine may reuse an item id in another turn.
    const key = `${startedBy}/${item.id}`;
    if (isInProgress(item)) this.#running.set(key, { startedBy, item });
    else this.#running.delete(key);
  }

  all(): readonly RunningCommand[] {
    return [...this.#running.values()];
  }

  get size(): number {
    return this.#running.size;
  }

  has(startedBy: string): boolean {
    return this.all().some((command) => command.startedBy === startedBy);
  }

  /** Forgets the commands of a turn or thread. */
  forget(startedBy: string): void {
    for (const [key, command] of this.#running) if (command.startedBy === startedBy) this.#running.delete(key);
  }

  clear(): void {
    this.#running.clear();
  }
}
