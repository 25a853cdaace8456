/** Returns why a text does not have the format of a field; undefined when it has, or when the format is unknown. */
export function formatFault(format: unknown, text: string): string | undefined {
  switch (format) {
    case 'email':
      return EMAIL.test(text) ? undefined : 'This is not an email address';
    case 'uri':
      return URI.test(text) ? undefined : 'This is not a URI with a scheme, such as https://example.com';
    case 'date':
      return dateFault(text);
    case 'date-time':
      return timestampFault(text);
    default:
      return undefined;
  }
}

/** These catch typing errors only; the server validates fully. */
const EMAIL = /^[^\s@]+@[^\s@]+$/;
const URI = /^[a-z][a-z\d+.-]*:\S+$/i;
const DATE = /^(\d{4})-(\d{2})-(\d{2})$/;
const TIMESTAMP = /^(\S{10})[Tt](\d{2}):(\d{2}):(\d{2})(?:\.\d+)?(?:[Zz]|[+-](\d{2}):(\d{2}))$/;

function dateFault(text: string): string | undefined {
  const found = DATE.exec(text);
  if (found === null) return 'Write a date as 2026-01-31';
  const [year = 0, month = 0, day = 0] = found.slice(1).map(Number);
  if (month < 1 || month > 12) return `There is no month ${month}`;
  const days = daysOf(year, month);
  return day >= 1 && day <= days ? undefined : `There is no day ${day} in a month of ${days} days`;
}

function timestampFault(text: string): string | undefined {
  const found = TIMESTAMP.exec(text);
  if (found === null) return 'Write a date and time as 2026-01-31T13:45:00Z';
  const [, date = '', ...clock] = found;
  const [hour = 0, minute = 0, second = 0, zoneHour = 0, zoneMinute = 0] = clock.map((part) => Number(part ?? 0));
  // Leap seconds.
  const isThere = hour < 24 && minute < 60 && second <= 60 && zoneHour < 24 && zoneMinute < 60;
  return dateFault(date) ?? (isThere ? undefined : 'This is not a valid time of day');
}

/**
 * Returns the day before the first of the next month. `setUTCFullYear`, because the constructor maps years below 100 to
 * 19xx.
 */
function daysOf(year: number, month: number): number {
  const first = new Date(0);
  first.setUTCFullYear(year, month, 0);
  return first.getUTCDate();
}
