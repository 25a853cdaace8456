/** Sets an entry of a map that holds at most `max` of them: removes the one that was added first. */
export function setBounded<Key, Value>(map: Map<Key, Value>, key: Key, value: Value, max: number): void {
  map.set(key, value);
  if (map.size <= max) return;
  const { value: oldest, done } = map.keys().next();
  if (done !== true) map.delete(oldest);
}
