/**
 * Knows what has been handed to the system. Writes are counted; a stream hands over everything that waits in it as soon
 * as the write before it is done.
 */
export interface WriteTracker {
  /** A write begins. What it returns is to be called when the write is done, or has failed. */
  begin(): (error?: Error | null) => void;
  /** Stands for the next write. */
  mark(): number;
  /** Nothing of that write has been handed over yet. */
  isUntouched(sequence: number): boolean;
}

export function createWriteTracker(): WriteTracker {
  let begun = 0;
  let written = 0;
  let done = 0;
  return {
    begin() {
      const own = ++begun;
      if (done === written) written = own;
      return (error) => {
        // A stream that breaks tells everyone who waits in it: what they wrote was never handed over.
        if (error) return;
        done = own;
        if (done === written) written = begun;
      };
    },
    mark: () => begun + 1,
    isUntouched: (sequence) => sequence > written,
  };
}
