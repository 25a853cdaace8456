import { runnerWarning } from '../resolve/package-runner.ts';
import { pythonWarning } from '../resolve/python-modules.ts';
import type { ServerEntry } from '../server-entry.ts';
import { unmatchedNames } from '../tool-filter.ts';

/** What is wrong with an entry that works. `tools`: the names that its server lists; undefined while nobody knows. */
export function entryWarnings(entry: ServerEntry, tools: readonly string[] | undefined): readonly string[] {
  const warning = runnerWarning(entry, process.platform) ?? pythonWarning(entry, process.platform);
  return [
    ...(warning === undefined ? [] : [warning]),
    ...(tools === undefined ? [] : unmatchedNames(entry.tools, tools)),
  ];
}
