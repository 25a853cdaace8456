/**
 * Concatenates the lists of several servers in server order. If they do not fit on the first page together, each server
 * gets its share of that page before any gets more. A server with an endless list then cannot push the others off the
 * only page that some clients read.
 */
export function orderFairly(lists: readonly (readonly string[])[], pageLength: number): readonly string[] {
  const isShort = lists.flat().reduce((length, item) => length + item.length + 1, 0) <= pageLength;
  if (isShort) return lists.flat();
  const share = pageLength / lists.filter((list) => list.length > 0).length;
  const first: string[] = [];
  const rest: string[] = [];
  for (const list of lists) {
    const taken = countWithin(list, share);
    first.push(...list.slice(0, taken));
    rest.push(...list.slice(taken));
  }
  return [...first, ...rest];
}

function countWithin(list: readonly string[], maxLength: number): number {
  let length = 0;
  const tooMany = list.findIndex((item) => {
    length += item.length + 1;
    return length > maxLength;
  });
  return tooMany === -1 ? list.length : tooMany;
}
