/** Parses a duration such as `30d` into milliseconds. Undefined if it is not one, or not between a minute and ten years. */
export function parseDuration(written: string): number | undefined {
  const [, digits, unit = ''] = /^(\d{1,9})([a-z]+)$/.exec(written.trim().toLowerCase()) ?? [];
  const unitMs = Object.hasOwn(UNITS_MS, unit) ? UNITS_MS[unit] : undefined;
  if (digits === undefined || unitMs === undefined) return undefined;
  const ms = Number(digits) * unitMs;
  return ms > 0 && ms <= MAX_MS ? ms : undefined;
}

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

const UNITS_MS: Readonly<Record<string, number>> = {
  ...{ s: 1000, m: MINUTE_MS, min: MINUTE_MS, h: 60 * MINUTE_MS },
  ...{ d: DAY_MS, w: 7 * DAY_MS, y: 365 * DAY_MS },
};

/** A later date is a typo. Without an expiry, a token does not end. */
const MAX_MS = 10 * 365 * DAY_MS;
