/**
 * How often fast-check tries a property: `count` times in an ordinary run, and as many times more as
 * `SWITCHBOARD_PROPERTY_RUNS` says. `npm run test:nightly` sets it.
 *
 * @example
 * fc.assert(fc.property(fc.string(), (text) => …), propertyRuns(500));
 */
export function propertyRuns(count: number): { readonly numRuns: number } {
  const factor = Number(process.env['SWITCHBOARD_PROPERTY_RUNS'] ?? '1');
  if (!Number.isInteger(factor) || factor < 1)
    throw new Error('SWITCHBOARD_PROPERTY_RUNS must be a whole number from 1 on.');
  return { numRuns: count * factor };
}
