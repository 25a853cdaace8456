import { nodeWarning } from '../resolve/node-preload.ts';
import { runnerWarning } from '../resolve/package-runner.ts';
import { pythonWarning } from '../resolve/python-modules.ts';
import type { ServerEntry } from '../server-entry.ts';
import { unmatchedNames } from '../tool-filter.ts';

/**
 * Returns warnings about an entry that works. `tools` are the names that its server lists; undefined if they are
 * unknown.
 */
export function entryWarnings(entry: ServerEntry, tools: readonly string[] | undefined): readonly string[] {
  const { platform } = process;
  const warning = runnerWarning(entry, platform) ?? pythonWarning(entry, platform) ?? nodeWarning(entry, platform);
  return [
    ...(warning === undefined ? [] : [warning]),
    ...(tools === undefined ? [] : unmatchedNames(entry.tools, tools)),
  ];
}
