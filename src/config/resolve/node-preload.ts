import type { ServerEntry } from '../server-entry.ts';
import { readNodeArguments } from './node-arguments.ts';
import { runsInUnknownFolder } from './package-runner.ts';
import { NODE, unwrapCommand } from './unwrapped-command.ts';

/** Returns a warning about an entry whose Node loads code or variables from the client's folder before its script. */
export function nodeWarning(entry: ServerEntry, platform: NodeJS.Platform): string | undefined {
  const { transport } = entry;
  if (transport.kind !== 'stdio' || !runsInUnknownFolder(entry, {})) return undefined;
  const { program, args } = unwrapCommand(transport, platform);
  const options = (transport.env['NODE_OPTIONS'] ?? '').split(/\s+/);
  const found = [
    ...(NODE.test(program) ? readNodeArguments(args, platform).loadsFromFolder : []),
    ...readNodeArguments(options, platform).loadsFromFolder.map((option) => `NODE_OPTIONS ${option}`),
  ];
  if (found[0] === undefined) return undefined;
  return `${found[0]} is looked for in the folder Node starts in, even of a project that you do not trust: use an absolute path, or set cwd`;
}
