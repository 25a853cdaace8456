import { posix, win32 } from 'node:path';

/** The program that a command line actually starts. */
export interface LaunchedCommand {
  /** Without its folder and file extension. */
  readonly program: string;
  readonly args: readonly string[];
  /** It can start in another folder: nothing before it depends on the working folder or clears the environment. */
  readonly isMovable: boolean;
}

export interface CommandLine {
  readonly command: string;
  readonly args: readonly string[];
}

/** Unwraps commands that only start another program: `env`, `corepack`, and node with npm's scripts. */
export function launchedCommand({ command, args }: CommandLine, platform: NodeJS.Platform): LaunchedCommand {
  const path = platform === 'win32' ? win32 : posix;
  const program = path.basename(command).replace(/\.(?:cmd|exe|ps1)$/i, '');
  const plain = { program, args, isMovable: true };
  if (program === 'corepack' && args[0] !== undefined) return launchedBy(args, platform);
  if (program === 'env') return launchedByEnv(args, platform) ?? plain;
  const script = args.findIndex((arg) => NPM_SCRIPT.test(path.basename(arg)));
  if (program !== 'node' || script === -1 || !args.slice(0, script).every(isOption)) return plain;
  const [file = '', ...rest] = args.slice(script);
  return { program: path.basename(file).slice(0, 3), args: rest, isMovable: path.isAbsolute(file) };
}

const NPM_SCRIPT = /^np[mx]-cli\.c?js$/;

function launchedBy([command = '', ...args]: readonly string[], platform: NodeJS.Platform): LaunchedCommand {
  return launchedCommand({ command, args }, platform);
}

/** Undefined if `env` starts nothing. With options, `env` may change the folder or remove variables. */
function launchedByEnv(args: readonly string[], platform: NodeJS.Platform): LaunchedCommand | undefined {
  const start = args.findIndex(
    (arg, at) => !isOption(arg) && !arg.includes('=') && !TAKES_VALUE.test(args[at - 1] ?? ''),
  );
  if (start === -1) return undefined;
  const launched = launchedBy(args.slice(start), platform);
  return { ...launched, isMovable: launched.isMovable && !args.slice(0, start).some(isOption) };
}

const TAKES_VALUE = /^(?:-u|--unset|-C|--chdir)$/;

function isOption(arg: string): boolean {
  return arg.startsWith('-');
}
