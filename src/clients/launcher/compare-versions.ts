/** Compares two versions such as `1.2.3` or `1.2.3-beta.1`: negative if the first is older, 0 if they are equal. */
export function compareVersions(one: string, other: string): number {
  const [a, b] = [parse(one), parse(other)];
  for (const [index, number] of a.numbers.entries()) {
    const difference = number - (b.numbers[index] ?? 0);
    if (difference !== 0) return difference;
  }
  if (a.suffix === b.suffix) return 0;
  // A version without a suffix is newer than its pre-releases.
  if (a.suffix === '' || b.suffix === '') return a.suffix === '' ? 1 : -1;
  return a.suffix.localeCompare(b.suffix, 'en', { numeric: true });
}

function parse(version: string): { readonly numbers: readonly number[]; readonly suffix: string } {
  const [, numbers = '', suffix = ''] = /^([\d.]*)(.*)$/.exec(version) ?? [];
  const parts = numbers.split('.').map(Number);
  return { numbers: [parts[0] ?? 0, parts[1] ?? 0, parts[2] ?? 0], suffix };
}
