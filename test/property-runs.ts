/**
 * Sets how often fast-check runs a property: `count` times by default, multiplied by
 * `SWITCHBOARD_PROPERTY_RUNS`, which `npm run test:nightly` sets.
 *
 * @example
 * fc.assert(fc.property(fc.string(), (text) => …), propertyRuns(500));
 */
export function propertyRuns(count: number): { readonly numRuns: number } {
  const factor = Number(process.env['SWITCHBOARD_PROPERTY_RUNS'] ?? '1');
  if (!Number.isInteger(factor) || factor < 1) throw new Error('SWITCHBOARD_PROPERTY_RUNS must be a positive integer.');
  return { numRuns: count * factor };
}
