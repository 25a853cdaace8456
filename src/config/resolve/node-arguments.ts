import { posix, win32 } from 'node:path';

/** The arguments of node up to the script. */
export interface NodeArguments {
  /** Index of the script; undefined when node runs the code of an option or its standard input. */
  readonly scriptAt: number | undefined;
  /** Options whose file or module node looks for in its working folder: `--import tsx`. */
  readonly loadsFromFolder: readonly string[];
  /** Whether an unknown option has a value that may be a file. */
  readonly hasUnknownValue: boolean;
}

/** Reads the arguments of node: `-r /opt/x.js server.js --port 1` has its script at 2. */
export function readNodeArguments(args: readonly string[], platform: NodeJS.Platform): NodeArguments {
  const { isAbsolute } = platform === 'win32' ? win32 : posix;
  const loadsFromFolder: string[] = [];
  let hasUnknownValue = false;
  for (const [at, arg] of args.entries()) {
    const [option = '', value] = arg.split('=', 2);
    if (EVAL_OPTION.test(option)) break;
    const before = args[at - 1] ?? '';
    const file = filePath({ option, value, before });
    if (file !== undefined && !isAbsolute(file) && !SCHEME.test(file)) {
      loadsFromFolder.push(arg.startsWith('-') ? arg : `${before} ${arg}`);
    }
    if (arg.startsWith('-') || file !== undefined || TAKES_VALUE.test(before)) continue;
    if (!mayBeValue(arg, before)) return { scriptAt: at, loadsFromFolder, hasUnknownValue };
    hasUnknownValue ||= !/^\d+$/.test(arg);
  }
  return { scriptAt: undefined, loadsFromFolder, hasUnknownValue };
}

interface Argument {
  /** The part before `=`. */
  readonly option: string;
  readonly value: string | undefined;
  /** The argument before it. */
  readonly before: string;
}

/** Returns the file or module that this argument names as an option's value: `--import=x`, or `x` after `--import`. */
function filePath({ option, value, before }: Argument): string | undefined {
  if (option.startsWith('-')) return NAMES_FILE.test(option) ? value : undefined;
  return NAMES_FILE.test(before) ? option : undefined;
}

/** Options that run code instead of a script. The arguments after them belong to the code. */
const EVAL_OPTION = /^(?:-e|--eval|-p|-pe|--print)$/;

/** Options of node with a file or module. */
const NAMES_FILE =
  /^(?:-r|--(?:require|import|loader|experimental-loader|env-file|env-file-if-exists|experimental-config-file|snapshot-blob|openssl-config|icu-data-dir))$/;

/** URLs name the same module in every folder: `file:///opt/x.js`, `node:test`. On Windows, `C:` is not a scheme. */
const SCHEME = /^[a-z][a-z+.-]+:/i;

/** Options of node whose value is the next argument and the same in every folder. */
const TAKES_VALUE =
  /^(?:-C|--(?:conditions|title|input-type|unhandled-rejections|dns-result-order|disable-warning|inspect-port|stack-trace-limit|max-http-header-size|v8-pool-size))$/;

/** Returns whether this may be the value of an unknown option. A script has a file extension or a path separator. */
function mayBeValue(arg: string, before: string): boolean {
  return /^-[^=]+$/.test(before) && before !== '--' && !/[/\\]|\.[cm]?[jt]sx?$/.test(arg);
}
