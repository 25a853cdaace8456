/**
 * Runs `run` for every item, in order, with at most `limit` pending at once. Each result has the index of its item.
 * The first rejection rejects all.
 */
export async function mapLimited<Item, Result>(
  items: readonly Item[],
  limit: number,
  run: (item: Item, index: number) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  const pending = [...items.entries()];
  const work = async () => {
    for (let next = pending.shift(); next !== undefined; next = pending.shift()) {
      const [index, item] = next;
      results[index] = await run(item, index);
    }
  };
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, work));
  return results;
}
