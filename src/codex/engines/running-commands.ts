import type { Item } from '../item-types.ts';

/** A command that has started and has not been reported as ended. */
export interface RunningCommand {
  readonly turnId: string;
  readonly item: Item;
}

/** The running commands of a session. A command may outlive the turn that started it. */
export class RunningCommands {
  readonly #running = new Map<string, RunningCommand>();

  follow(turnId: string, item: Item): void {
    if (item.type !== 'command_execution') return;
    // An engine may reuse an item id in another turn.
    const key = `${turnId}/${item.id}`;
    if (item.status === 'started' || item.status === 'in_progress') this.#running.set(key, { turnId, item });
    else this.#running.delete(key);
  }

  all(): readonly RunningCommand[] {
    return [...this.#running.values()];
  }
}
