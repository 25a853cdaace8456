import { createGlob } from '../base/text/glob.ts';
import { quoteIfNeeded } from '../base/text/visible-text.ts';
import type { ToolFilter } from './server-entry.ts';

/** Returns whether clients see the tool. */
export function isToolEnabled(filter: ToolFilter, tool: string): boolean {
  return findHidingSetting(filter, tool) === undefined;
}

/** Returns why clients do not see the tool; undefined if they do. */
export function toolHiddenReason(filter: ToolFilter, tool: string): string | undefined {
  const setting = findHidingSetting(filter, tool);
  if (setting === undefined) return undefined;
  return setting === 'disabled_tools' ? 'the config denies it' : 'the config does not allow it';
}

/** Returns the setting that hides a tool; undefined if none does. In either list, `*` matches any characters. */
export function findHidingSetting(
  { allow, deny }: ToolFilter,
  tool: string,
): 'disabled_tools' | 'enabled_tools' | undefined {
  if (deny.some((pattern) => matches(pattern, tool))) return 'disabled_tools';
  const isAllowed = allow === undefined || allow.some((pattern) => matches(pattern, tool));
  return isAllowed ? undefined : 'enabled_tools';
}

/** Reports configured names that match no tool of the server: usually they are misspelled and have no effect. */
export function unmatchedNames({ allow = [], deny }: ToolFilter, tools: readonly string[]): readonly string[] {
  const unmatched = (setting: string, patterns: readonly string[]) =>
    patterns
      .filter((pattern) => !tools.some((tool) => matches(pattern, tool)))
      .map((pattern) => `${setting}: the server has no tool ${quoteIfNeeded(pattern)}`);
  return [...unmatched('enabled_tools', allow), ...unmatched('disabled_tools', deny)];
}

function matches(pattern: string, tool: string): boolean {
  return createGlob(pattern)(tool);
}
