/**
 * Returns the median of the numbers: the lower of the two middle ones if their count is even, undefined if there are
 * none. Quickselect costs a fraction of a full sort.
 */
export function middleOf(numbers: readonly number[]): number | undefined {
  const parted = numbers.slice();
  const middle = (parted.length - 1) >> 1;
  let first = 0;
  let last = parted.length - 1;
  while (first < last) {
    const guess = parted[(first + last) >> 1] ?? 0;
    let low = first;
    let high = last;
    while (low <= high) {
      while ((parted[low] ?? 0) < guess) low++;
      while ((parted[high] ?? 0) > guess) high--;
      if (low > high) break;
      const swapped = parted[low] ?? 0;
      parted[low++] = parted[high] ?? 0;
      parted[high--] = swapped;
    }
    if (middle > high && middle < low) break;
    if (middle <= high) last = high;
    else first = low;
  }
  return parted[middle];
}
