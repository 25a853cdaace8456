import { oneLine } from '../base/text.ts';
import { describeDifference } from '../schema/difference.ts';
import type { DefinitionList } from '../schema/list.ts';

/** What became of the tools of one server since it was last seen. A tool that changes under a model can mislead it. */
export interface ToolChanges {
  /** The tools were listed; `before` is what was known of them. */
  listed(before: DefinitionList, after: DefinitionList): void;
  /** The newest last. */
  all(): readonly ToolChange[];
}

export interface ToolChange {
  readonly name: string;
  /** One line. */
  readonly what: string;
}

const MAX_KEPT = 50;
const MAX_TOLD = 5;

export function createToolChanges(serverId: string, warn: (text: string) => void): ToolChanges {
  let kept: readonly ToolChange[] = [];
  return {
    listed(before, after) {
      const found = compareTools(before, after);
      kept = [...kept, ...found].slice(-MAX_KEPT);
      for (const { name, what } of found.slice(0, MAX_TOLD)) warn(`${serverId}: ${oneLine(name, 60)}: ${what}`);
      if (found.length > MAX_TOLD)
        warn(`${serverId}: ${found.length - MAX_TOLD} more tools changed: see switchboard://status`);
    },
    all: () => kept,
  };
}

/** Every tool that is new, gone, or not what it was. */
export function compareTools(before: DefinitionList, after: DefinitionList): readonly ToolChange[] {
  if (before === after) return [];
  const known = new Map(before.items.map(({ key, json }) => [key, json]));
  const changes: ToolChange[] = [];
  for (const { key, json } of after.items) {
    const old = known.get(key);
    known.delete(key);
    if (old === json) continue;
    const what = old === undefined ? 'new' : describeDifference(old, json);
    if (what !== undefined) changes.push({ name: key, what });
  }
  return [...changes, ...[...known.keys()].map((name) => ({ name, what: 'gone' }))];
}
