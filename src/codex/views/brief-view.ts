import { isObject, type JsonObject } from '../../wire/messages.ts';
import { truncateJson } from '../text/truncate.ts';

/** Shortens the view of one session among many, step by step, until it has at most `maxChars` characters of JSON. */
export function toBriefView(view: JsonObject, maxChars: number): JsonObject {
  if (sizeOf(view) <= maxChars) return view;
  for (const step of STEPS) {
    const brief = { ...shorten(view, step), truncated: true };
    if (sizeOf(brief) <= maxChars) return brief;
  }
  const { sessionId, status } = view;
  return { sessionId, status, truncated: true };
}

interface Step {
  readonly textChars: number;
  readonly entries: number;
}

const STEPS: readonly Step[] = [
  { textChars: 8_000, entries: 40 },
  { textChars: 2_000, entries: 20 },
  { textChars: 800, entries: 8 },
  { textChars: 300, entries: 3 },
  { textChars: 200, entries: 1 },
];

function sizeOf(view: JsonObject): number {
  return JSON.stringify(view).length;
}

function shorten(view: JsonObject, step: Step): JsonObject {
  return Object.fromEntries(
    Object.entries(view).map(([name, value]) => [
      name,
      // The page is small enough already, and its cursor depends on the exact length.
      name === 'result' ? value : cutTexts(cutList(name, value, step), step),
    ]),
  );
}

/** Shortens only the lists of the session itself: a response needs all options of a request. */
function cutList(name: string, value: unknown, { entries }: Step): unknown {
  if (!Array.isArray(value)) return value;
  return NEWEST_LAST.has(name) ? value.slice(-entries) : value.slice(0, entries);
}

const NEWEST_LAST: ReadonlySet<string> = new Set(['recentOutput', 'itemEvents', 'warnings']);

function cutTexts(value: unknown, step: Step): unknown {
  if (typeof value === 'string') return truncateJson(value, step.textChars);
  if (Array.isArray(value)) return value.map((entry) => cutTexts(entry, step));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, cutTexts(member, step)]));
}
