/**
 * Knows what has been handed to the system. Writes are counted; a stream hands over everything that waits in it as soon
 * as the write before it is done.
 */
export interface Handover {
  /** A write begins. What it returns is to be called when the write is done, or has failed. */
  begin(): (error?: Error | null) => void;
  /** Stands for the next write. */
  mark(): number;
  /** Nothing of that write has been handed over yet. */
  isUntouched(mark: number): boolean;
}

export function createHandover(): Handover {
  let begun = 0;
  let handedOver = 0;
  let done = 0;
  return {
    begin() {
      const own = ++begun;
      if (done === handedOver) handedOver = own;
      return (error) => {
        // A stream that breaks tells everyone who waits in it: what they wrote was never handed over.
        if (error) return;
        done = own;
        if (done === handedOver) handedOver = begun;
      };
    },
    mark: () => begun + 1,
    isUntouched: (mark) => mark > handedOver,
  };
}
