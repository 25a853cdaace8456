import type { Item } from '../../item-types.ts';

/** The commands that each session has started and not ended, by the thread that runs them. */
export class OpenCommands {
  /** Maps thread ids to the session that they work for and the ids of their open commands. */
  readonly #threads = new Map<string, { readonly sessionId: string; readonly open: Set<string> }>();

  follow(sessionId: string, threadId: string, { id, type, status }: Item): void {
    if (type !== 'command_execution') return;
    const thread = this.#threads.get(threadId) ?? { sessionId, open: new Set() };
    if (status === 'started' || status === 'in_progress') thread.open.add(id);
    else thread.open.delete(id);
    if (thread.open.size > 0) this.#threads.set(threadId, thread);
    else this.#threads.delete(threadId);
  }

  ended(threadId: string): void {
    this.#threads.delete(threadId);
  }

  get some(): boolean {
    return this.#threads.size > 0;
  }

  runIn(sessionId: string): boolean {
    return [...this.#threads.values()].some((thread) => thread.sessionId === sessionId);
  }

  clear(): void {
    this.#threads.clear();
  }
}
