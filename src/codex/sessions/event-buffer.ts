import type { Item } from '../item-types.ts';

/** One thing that happened in a session, with its place in the order of all of them. */
export interface SessionEvent {
  readonly sequence: number;
  readonly turnId: string;
  readonly item: Item;
}

/** The latest events of a session, oldest first; the oldest are forgotten. */
export interface EventBuffer {
  readonly size: number;
  push(turnId: string, item: Item): void;
  /** What came after the cursor; all of them without one. */
  since(cursor: string | undefined): EventSlice;
  /** Stands for everything so far. */
  cursor(): string;
}

interface EventSlice {
  readonly events: readonly SessionEvent[];
  /** Some that the caller has not seen are forgotten, or the cursor is not of this run. */
  readonly isIncomplete: boolean;
}

/** `run` tells the cursors of this run of the server from those of another. */
export function createEventBuffer(maxEvents: number, runId: string): EventBuffer {
  const events: SessionEvent[] = [];
  let count = 0;

  const parseCursor = (cursor: string): number | undefined => {
    const [, cursorRunId, position] = /^([0-9a-f]+)-(\d{1,15})$/.exec(cursor) ?? [];
    return cursorRunId === runId && Number(position) <= count ? Number(position) : undefined;
  };

  return {
    get size() {
      return events.length;
    },
    push(turnId, item) {
      count++;
      events.push({ sequence: count, turnId, item });
      // In pieces: to move the whole list for every event would cost more than the events.
      if (events.length >= 2 * maxEvents) events.splice(0, events.length - maxEvents);
    },
    since(cursor) {
      const latest = events.slice(-maxEvents);
      if (cursor === undefined) return { events: latest, isIncomplete: false };
      const position = parseCursor(cursor);
      if (position === undefined) return { events: latest, isIncomplete: true };
      const oldest = latest[0]?.sequence ?? count + 1;
      return { events: latest.filter(({ sequence }) => sequence > position), isIncomplete: position < oldest - 1 };
    },
    cursor: () => `${runId}-${count}`,
  };
}
