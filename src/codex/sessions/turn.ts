import type { TurnEnd } from '../engine.ts';
import type { FileChange, Item, PlanStep, Usage } from '../item-types.ts';
import type { TrackedTree } from '../working-tree/tree-tracker.ts';

/** One run of a session: what is known of it, while it runs and after. */
export class Turn {
  /** Counted from 1, of those that this server has seen. */
  readonly number: number;
  readonly startedAt = Date.now();
  /** Codex may know one turn by two ids: that of the request, and that of its events. */
  readonly #ids = new Set<string>();
  readonly #maxItems: number;
  readonly #items = new Map<string, Item>();
  readonly #files = new Map<string, FileChange['kind']>();
  /** The files of its folder as they were when it began. */
  tree: TrackedTree | undefined;
  endedAt: number | undefined;
  end: TurnEnd | undefined;
  diff = '';
  plan: readonly PlanStep[] = [];
  usage: Usage | undefined;
  /** What Codex said last. */
  lastMessage: string | undefined;
  /** Why Codex tries something again, as long as it does. */
  retrying: string | undefined;

  constructor(number: number, maxItems: number) {
    this.number = number;
    this.#maxItems = maxItems;
  }

  /** The id by which Codex can be asked to do something with it; unknown until it has begun. */
  get id(): string | undefined {
    const [first] = this.#ids;
    return first;
  }

  ids(): readonly string[] {
    return [...this.#ids];
  }

  hasId(turnId: string): boolean {
    return this.#ids.has(turnId);
  }

  addId(turnId: string): void {
    this.#ids.add(turnId);
  }

  /** Those that were done so far, each once, with its latest status. */
  items(): readonly Item[] {
    return [...this.#items.values()].filter((item) => !this.isAbandoned(item));
  }

  /**
   * Codex begins messages that it never ends, such as those of the reviewer in a review: what was said is in others. A
   * command, however, may outlive its turn.
   */
  isAbandoned({ type, status }: Item): boolean {
    return this.end?.status === 'completed' && type === 'agent_message' && isInProgress(status);
  }

  files(): readonly { readonly path: string; readonly kind: FileChange['kind'] }[] {
    return [...this.#files].map(([path, kind]) => ({ path, kind }));
  }

  /** What is being done now. */
  current(): Item | undefined {
    return this.items().findLast(({ status }) => isInProgress(status));
  }

  add(item: Item): Item {
    const latest = merge(this.#items.get(item.id), item);
    this.#items.set(item.id, latest);
    const [oldest] = this.#items.keys();
    if (this.#items.size > this.#maxItems && oldest !== undefined) this.#items.delete(oldest);
    if (item.plan !== undefined) this.plan = item.plan;
    if (item.type === 'agent_message' && item.status === 'completed' && item.text !== undefined)
      this.lastMessage = item.text;
    if (item.status === 'completed') for (const change of item.files ?? []) recordFileChange(this.#files, change);
    this.retrying = undefined;
    return latest;
  }
}

/** Adds a change to those of the same turn. */
export function recordFileChange(files: Map<string, FileChange['kind']>, { path, kind }: FileChange): void {
  // A file that came in this turn and was changed in it is a new file.
  files.set(path, files.get(path) === 'add' && kind === 'update' ? 'add' : kind);
  const [oldest] = files.keys();
  if (files.size > MAX_FILES && oldest !== undefined) files.delete(oldest);
}

/** More are not listed; the diff has them. */
const MAX_FILES = 1000;

function isInProgress(status: Item['status']): boolean {
  return status === 'started' || status === 'in_progress';
}

/** A second start is an update; the end of an item may say less about it than its beginning did. */
function merge(before: Item | undefined, item: Item): Item {
  if (before === undefined) return item;
  const status = item.status === 'started' ? 'in_progress' : item.status;
  return { ...before, ...item, status, summary: item.summary === '' ? before.summary : item.summary };
}
