import { setBounded } from '../../base/set-bounded.ts';
import type { TurnEnd } from '../engine.ts';
import { type FileChange, type Item, isInProgress, type PlanStep, type Usage } from '../item-types.ts';
import type { TrackedTree } from '../working-tree/tree-tracker.ts';

/** One turn of a session: its state while it runs and after it has ended. */
export class Turn {
  /** The position among the turns that this server has seen, starting at 1. */
  readonly number: number;
  readonly startedAt = Date.now();
  /** Codex may use two ids for one turn: one in the response to the request and one in its events. */
  readonly #ids = new Set<string>();
  readonly #maxItems: number;
  readonly #items = new Map<string, Item>();
  readonly #files = new Map<string, FileChange['kind']>();
  /** The files of the session's folder when the turn began. */
  tree: TrackedTree | undefined;
  endedAt: number | undefined;
  end: TurnEnd | undefined;
  diff = '';
  plan: readonly PlanStep[] = [];
  usage: Usage | undefined;
  /** The last message from Codex. */
  lastMessage: string | undefined;
  /** Why Codex is retrying. Undefined when it is not. */
  retrying: string | undefined;

  constructor(number: number, maxItems: number) {
    this.number = number;
    this.#maxItems = maxItems;
  }

  /** The id for requests to Codex about this turn. Undefined until the turn has begun. */
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

  /** Returns the items so far, each once, with its latest status. */
  items(): readonly Item[] {
    return [...this.#items.values()].filter((item) => !this.isAbandoned(item));
  }

  /**
   * Returns whether an item is a message that Codex began and never ended, such as those of the reviewer in a review.
   * Other messages have the same text. A command, however, may outlive its turn.
   */
  isAbandoned(item: Item): boolean {
    return this.end?.status === 'completed' && item.type === 'agent_message' && isInProgress(item);
  }

  files(): readonly { readonly path: string; readonly kind: FileChange['kind'] }[] {
    return [...this.#files].map(([path, kind]) => ({ path, kind }));
  }

  /** Returns the item that is in progress. */
  current(): Item | undefined {
    return this.items().findLast(isInProgress);
  }

  add(item: Item): Item {
    const latest = merge(this.#items.get(item.id), item);
    setBounded(this.#items, item.id, latest, this.#maxItems);
    if (item.plan !== undefined) this.plan = item.plan;
    if (item.type === 'agent_message' && item.status === 'completed' && item.text !== undefined)
      this.lastMessage = item.text;
    if (item.status === 'completed') for (const change of item.files ?? []) recordFileChange(this.#files, change);
    this.retrying = undefined;
    return latest;
  }
}

/** Adds a change to the changes of the same turn. */
export function recordFileChange(files: Map<string, FileChange['kind']>, { path, kind }: FileChange): void {
  // A file that was added and then updated in the same turn is a new file.
  setBounded(files, path, files.get(path) === 'add' && kind === 'update' ? 'add' : kind, MAX_FILES);
}

/** Files beyond this number are not listed; the diff contains them. */
const MAX_FILES = 1000;

/** Merges two reports of an item. A second start counts as an update. The end may carry less detail than the start. */
function merge(before: Item | undefined, item: Item): Item {
  if (before === undefined) return item;
  const status = item.status === 'started' ? 'in_progress' : item.status;
  return { ...before, ...item, status, summary: item.summary === '' ? before.summary : item.summary };
}
