/** How many requests and connections were refused, by HTTP status. */
export interface RefusalCounts {
  count(status: number): void;
  /** The statuses that occurred, in ascending order. */
  all(): Readonly<Record<string, number>>;
}

export function createRefusalCounts(): RefusalCounts {
  const counts = new Map<number, number>();
  return {
    count: (status) => void counts.set(status, (counts.get(status) ?? 0) + 1),
    all: () => Object.fromEntries([...counts].sort(([one], [other]) => one - other)),
  };
}
