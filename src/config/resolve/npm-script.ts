import { posix, win32 } from 'node:path';
import { readNodeArguments } from './node-arguments.ts';

/** npm or npx, started by node from its script. */
export interface NpmScript {
  readonly program: string;
  readonly args: readonly string[];
  /** Whether Node finds the same files when it starts in another folder. */
  readonly canChangeFolder: boolean;
}

/** Reads the arguments of node: `-r /opt/x.js /usr/bin/npx -y a`. Undefined when node runs something else. */
export function findNpmScript(args: readonly string[], platform: NodeJS.Platform): NpmScript | undefined {
  const path = platform === 'win32' ? win32 : posix;
  const { scriptAt, loadsFromFolder, hasUnknownValue } = readNodeArguments(args, platform);
  if (scriptAt === undefined) return undefined;
  const script = args[scriptAt] ?? '';
  const [program] = /^np[mx](?=-cli\.c?js$|$)/.exec(path.basename(script)) ?? [];
  // A relative `npx` is a file in the working folder, not npm's script.
  const isNpms = program !== undefined && (path.isAbsolute(script) || script.endsWith('js'));
  if (!isNpms) return undefined;
  const canChangeFolder = loadsFromFolder.length === 0 && !hasUnknownValue && path.isAbsolute(script);
  return { program, args: args.slice(scriptAt + 1), canChangeFolder };
}
