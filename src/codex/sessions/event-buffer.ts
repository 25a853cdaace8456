import type { Item } from '../item-types.ts';

/** One item of a session with its position in the order of all the session's events. */
export interface SessionEvent {
  readonly sequence: number;
  readonly turnId: string;
  readonly item: Item;
}

/** The latest events of a session, oldest first. It drops the oldest ones when it is full. */
export interface EventBuffer {
  readonly size: number;
  push(turnId: string, item: Item): void;
  /** Returns the events after the cursor, or all events without one. */
  since(cursor: string | undefined): EventSlice;
  /** Returns a cursor that covers every event so far. */
  cursor(): string;
}

interface EventSlice {
  readonly events: readonly SessionEvent[];
  /** True if the buffer has dropped events that the caller has not seen, or the cursor is from another server run. */
  readonly isIncomplete: boolean;
}

/** Creates a buffer. `runId` distinguishes the cursors of this server run from those of another. */
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
      // Trims in batches: moving the whole list for every event would cost more than the spare events.
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
