import { oneLine } from '../../base/text/safe-text.ts';
import type { DefinitionList } from '../../schema/definitions/definition-list.ts';
import { describeDifference } from '../../schema/differences/difference.ts';

/**
 * Changes in the tools of one server since its last listing. A tool that changes during a session can mislead the
 * model.
 */
export interface ToolChanges {
  /** Records and reports the differences between the known list and the new one. */
  listed(before: DefinitionList, after: DefinitionList): void;
  /** Returns all recorded changes, newest last. */
  all(): readonly ToolChange[];
}

interface ToolChange {
  readonly name: string;
  /** One line. */
  readonly what: string;
}

const MAX_CHANGES = 200;
/** The maximum number of changes reported per minute. The status resource shows the newest changes. */
const MAX_REPORTED = 30;
const REPORT_PERIOD_MS = 60_000;

export function createToolChanges(serverId: string, warn: (text: string) => void): ToolChanges {
  let changes: readonly ToolChange[] = [];
  let reported = 0;
  let periodStart = Number.NEGATIVE_INFINITY;

  const report = ({ name, what }: ToolChange) => {
    if (performance.now() - periodStart > REPORT_PERIOD_MS) {
      periodStart = performance.now();
      reported = 0;
    }
    reported++;
    if (reported <= MAX_REPORTED) warn(`${serverId}: ${oneLine(name, 60)}: ${what}`);
    if (reported === MAX_REPORTED + 1) warn(`${serverId}: more of its tools have changed: see switchboard://status`);
  };

  return {
    listed(before, after) {
      const found = compareTools(before, after);
      changes = [...changes, ...found].slice(-MAX_CHANGES);
      found.forEach(report);
    },
    all: () => changes,
  };
}

/** Returns every added, removed or changed tool. */
function compareTools(before: DefinitionList, after: DefinitionList): readonly ToolChange[] {
  if (before === after) return [];
  const known = new Map(before.items.map(({ key, json }) => [key, json]));
  const changes: ToolChange[] = [];
  for (const { key, json } of after.items) {
    const old = known.get(key);
    known.delete(key);
    if (old === json || (old !== undefined && withoutTimes(old) === withoutTimes(json))) continue;
    const what = old === undefined ? 'new' : describeDifference(old, json);
    if (what !== undefined) changes.push({ name: key, what });
  }
  return [...changes, ...[...known.keys()].map((name) => ({ name, what: 'gone' }))];
}

/**
 * Replaces times. Some servers put their start time into a default or a description, which would be reported as a
 * change at every start. A pin still compares every byte.
 */
function withoutTimes(json: string): string {
  return json.replace(TIMES, '(time)');
}

const MONTH = '(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]{0,6}\\.?';
const WEEKDAY = '(?:(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]{0,6},? )?';
const CLOCK = '\\d{1,2}:\\d{2}(?::\\d{2}(?:\\.\\d{1,9})?)?(?:Z|[+-]\\d{2}:?\\d{2})?';
const TIMES = new RegExp(
  [
    `\\b\\d{4}[-/]\\d{2}[-/]\\d{2}(?:[T ]${CLOCK})?`,
    `\\b${WEEKDAY}${MONTH} \\d{1,2},? \\d{4}\\b`,
    `\\b${WEEKDAY}\\d{1,2} ${MONTH} \\d{4}\\b`,
    `\\b${CLOCK}`,
    // Seconds or milliseconds since 1970, from 2017 to 2033.
    '(?<="default":)1[5-9]\\d{8}(?:\\d{3})?\\b',
  ].join('|'),
  'g',
);
