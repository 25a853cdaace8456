/**
 * Knows what has been handed to the system. Writes are counted; a stream hands over everything that waits in it as soon
 * as the write before it is done.
 */
export interface WriteTracker {
  /** A write begins. What it returns is to be called when the write is done, or has failed. */
  beginWrite(): (error?: Error | null) => void;
  /** Stands for the next write. */
  nextSequence(): number;
  /** Nothing of that write has been handed over yet. */
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
        // A stream that breaks tells everyone who waits in it: what they wrote was never handed over.
        if (error) return;
        done = own;
        if (done === written) written = begun;
      };
    },
    nextSequence: () => begun + 1,
    isUnsent: (sequence) => sequence > written,
  };
}
