import { readNodeArguments } from '../resolve/node-arguments.ts';
import { runnerWarning, runsInUnknownFolder } from '../resolve/package-runner.ts';
import { pythonWarning } from '../resolve/python-modules.ts';
import { NODE, unwrapCommand } from '../resolve/unwrapped-command.ts';
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

/** Returns a warning about an entry whose Node loads code or variables from the client's folder before its script. */
function nodeWarning(entry: ServerEntry, platform: NodeJS.Platform): string | undefined {
  const { transport } = entry;
  if (transport.kind !== 'stdio' || !runsInUnknownFolder(entry, {})) return undefined;
  const { program, args } = unwrapCommand(transport, platform);
  const options = (transport.env['NODE_OPTIONS'] ?? '').split(/\s+/);
  const found = [
    ...(NODE.test(program) ? readNodeArguments(args, platform).loadsFromFolder : []),
    ...readNodeArguments(options, platform).loadsFromFolder.map((option) => `NODE_OPTIONS ${option}`),
  ];
  if (found[0] === undefined) return undefined;
  return `${found[0]} is resolved in the folder where Node starts, even in a project that you do not trust: use an absolute path, or set cwd`;
}
