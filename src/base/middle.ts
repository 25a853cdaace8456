/**
 * The middle one of some numbers, the lower of two; undefined of none. They are parted around a guess until the guess is
 * right, which costs a fraction of sorting them all.
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
