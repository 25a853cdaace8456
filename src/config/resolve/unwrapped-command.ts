import { posix, win32 } from 'node:path';
import { ENV_TAKES_VALUE, splitEnvString } from './env-split-string.ts';
import { readNodeArguments } from './node-arguments.ts';

/** The program that a command line actually starts. */
export interface UnwrappedCommand {
  /** Without its folder and file extension. */
  readonly program: string;
  readonly args: readonly string[];
  /**
   * Whether it can start in another folder: nothing before it depends on the working folder or clears the environment.
   */
  readonly canChangeFolder: boolean;
}

export interface CommandLine {
  readonly command: string;
  readonly args: readonly string[];
}

/** Unwraps commands that only start another program: `env`, `nice`, `timeout`, `corepack`, node with npm's scripts. */
export function unwrapCommand({ command, args }: CommandLine, platform: NodeJS.Platform): UnwrappedCommand {
  const path = platform === 'win32' ? win32 : posix;
  const program = path.basename(command).replace(/\.(?:cmd|exe|ps1)$/i, '');
  const plain = { program, args, canChangeFolder: true };
  if (program === 'corepack' && args[0] !== undefined) return unwrapArgs(args, platform);
  if (program === 'env') return unwrapEnv(args, platform) ?? plain;
  const wrapper = WRAPPERS.get(program);
  if (wrapper !== undefined) return unwrapWrapper(args, wrapper, platform) ?? plain;
  return (NODE.test(program) ? findNpmScript(args, platform) : undefined) ?? plain;
}

export const NODE = /^node(?:js)?$/;

/**
 * Returns the arguments as one text, for a shell or any other program that may start what its arguments name, such as
 * `xargs` or `sudo`. Undefined for programs that are known not to do so.
 */
export function scriptOf({ program, args }: UnwrappedCommand): string | undefined {
  return OWN_ARGUMENTS.test(program) ? undefined : args.join(' ');
}

/** Programs whose arguments start nothing in the client's folder, and programs whose arguments are parsed elsewhere. */
const OWN_ARGUMENTS =
  /^(?:node|nodejs|npx|npm|pnpx|pnx|pnpm|yarn|yarnpkg|bunx?|deno|pythonw?[\d.]*t?|pypy[\d.]*|pyw?|uvx?|pipx|ruby|perl|php|java|dotnet|go|cargo|docker|podman|nerdctl|kubectl|ssh)$/i;

/** A program that runs another one in the same folder, with the same environment. */
interface Wrapper {
  /** Options whose value is the next argument. */
  readonly takesValue: RegExp;
  /** How many arguments of its own come before the command. */
  readonly positionalCount: number;
}

const WRAPPERS: ReadonlyMap<string, Wrapper> = new Map([
  ['nice', { takesValue: /^(?:-n|--adjustment)$/, positionalCount: 0 }],
  ['timeout', { takesValue: /^(?:-k|--kill-after|-s|--signal)$/, positionalCount: 1 }],
  ['nohup', { takesValue: /(?!)/, positionalCount: 0 }],
  ['stdbuf', { takesValue: /^(?:-[ioe]|--input|--output|--error)$/, positionalCount: 0 }],
  ['ionice', { takesValue: /^(?:-[cn]|--class|--classdata)$/, positionalCount: 0 }],
  ['setsid', { takesValue: /(?!)/, positionalCount: 0 }],
  ['time', { takesValue: /^(?:-[fo]|--format|--output)$/, positionalCount: 0 }],
]);

function unwrapArgs([command = '', ...args]: readonly string[], platform: NodeJS.Platform): UnwrappedCommand {
  const { isAbsolute, basename } = platform === 'win32' ? win32 : posix;
  const unwrapped = unwrapCommand({ command, args }, platform);
  // A relative path resolves differently in another folder.
  const isFoundAnywhere = isAbsolute(command) || basename(command) === command;
  return { ...unwrapped, canChangeFolder: unwrapped.canChangeFolder && isFoundAnywhere };
}

/** Returns undefined if the wrapper starts nothing. */
function unwrapWrapper(
  args: readonly string[],
  { takesValue, positionalCount }: Wrapper,
  platform: NodeJS.Platform,
): UnwrappedCommand | undefined {
  const isWord = (arg: string, at: number) => !isOption(arg) && !takesValue.test(args[at - 1] ?? '');
  const start = args.flatMap((arg, at) => (isWord(arg, at) ? [at] : []))[positionalCount];
  return start === undefined ? undefined : unwrapArgs(args.slice(start), platform);
}

/** Returns undefined if `env` starts nothing. With options, `env` may change the folder or remove variables. */
function unwrapEnv(written: readonly string[], platform: NodeJS.Platform): UnwrappedCommand | undefined {
  const { args, isPlain } = splitEnvString(written);
  const start = args.findIndex(
    (arg, at) => !isOption(arg) && !arg.includes('=') && !ENV_TAKES_VALUE.test(args[at - 1] ?? ''),
  );
  if (start === -1) return undefined;
  const unwrapped = unwrapArgs(args.slice(start), platform);
  return {
    ...unwrapped,
    canChangeFolder: unwrapped.canChangeFolder && isPlain && !args.slice(0, start).some(isOption),
  };
}

function isOption(arg: string): boolean {
  return arg.startsWith('-');
}

/** npm or npx, started by node from its script. */
interface NpmScript {
  readonly program: string;
  readonly args: readonly string[];
  /** Whether Node finds the same files when it starts in another folder. */
  readonly canChangeFolder: boolean;
}

/** Reads the arguments of node: `-r /opt/x.js /usr/bin/npx -y a`. Undefined when node runs something else. */
function findNpmScript(args: readonly string[], platform: NodeJS.Platform): NpmScript | undefined {
  const path = platform === 'win32' ? win32 : posix;
  const { scriptAt, loadsFromFolder, hasUnknownValue } = readNodeArguments(args, platform);
  if (scriptAt === undefined) return undefined;
  const script = args[scriptAt] ?? '';
  const [program] = /^np[mx](?=-cli\.c?js$|$)/.exec(path.basename(script)) ?? [];
  // A relative `npx` is a file in the working folder, not npm's script.
  const isNpmScript = program !== undefined && (path.isAbsolute(script) || script.endsWith('js'));
  if (!isNpmScript) return undefined;
  const canChangeFolder = loadsFromFolder.length === 0 && !hasUnknownValue && path.isAbsolute(script);
  return { program, args: args.slice(scriptAt + 1), canChangeFolder };
}
