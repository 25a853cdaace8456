/** Counts events by kind. */
export interface Counter {
  add(kind: string): void;
  total(): number;
  count(kind: string): number;
  /** The most frequent first. */
  rows(): readonly (readonly [string, number])[];
}

export function createCounter(): Counter {
  const counts = new Map<string, number>();
  const count = (kind: string) => counts.get(kind) ?? 0;
  return {
    add: (kind) => counts.set(kind, count(kind) + 1),
    count,
    total: () => [...counts.values()].reduce((sum, value) => sum + value, 0),
    rows: () => [...counts].sort(([, a], [, b]) => b - a),
  };
}
