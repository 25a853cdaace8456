/**
 * Tracks which writes have been handed to the operating system. A stream hands over everything that is queued in it as
 * soon as the previous write is done.
 */
export interface WriteTracker {
  /** Begins a write. Call the returned function when the write is done or has failed. */
  beginWrite(): (error?: Error | null) => void;
  /** Returns the sequence number of the next write. */
  nextSequence(): number;
  /** Returns whether no part of that write has been handed over yet. */
  isUnsent(sequence: number): boolean;
}

export function createWriteTracker(): WriteTracker {
  let begun = 0;
  let written = 0;
  let done = 0;
  return {
    beginWrite() {
      const own = ++begun;
      if (done === written) written = own;
      return (error) => {
        // A stream that breaks reports an error for every queued write; none of them was handed over.
        if (error) return;
        done = own;
        if (done === written) written = begun;
      };
    },
    nextSequence: () => begun + 1,
    isUnsent: (sequence) => sequence > written,
  };
}
