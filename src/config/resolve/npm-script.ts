import { posix, win32 } from 'node:path';

/** npm or npx, started by node from its script. */
export interface NpmScript {
  readonly program: string;
  readonly args: readonly string[];
  /** Node finds the same files when it starts in another folder. */
  readonly isMovable: boolean;
}

/** Reads the arguments of node: `-r /opt/x.js /usr/bin/npx -y a`. Undefined when node runs something else. */
export function findNpmScript(args: readonly string[], platform: NodeJS.Platform): NpmScript | undefined {
  const path = platform === 'win32' ? win32 : posix;
  const isFixed = (value: string) => path.isAbsolute(value) || value.startsWith('file:');
  let isMovable = true;
  for (const [at, arg] of args.entries()) {
    const [option = '', value] = arg.split('=', 2);
    if (EVALUATES.test(option)) return undefined;
    if (arg.startsWith('-')) {
      if (value !== undefined && NAMES_FILE.test(option)) isMovable &&= isFixed(value);
      continue;
    }
    const before = args[at - 1] ?? '';
    if (NAMES_FILE.test(before)) isMovable &&= isFixed(arg);
    if (NAMES_FILE.test(before) || TAKES_VALUE.test(before)) continue;
    const [program] = /^np[mx](?=-cli\.c?js$|$)/.exec(path.basename(arg)) ?? [];
    // In the working folder, a file that is called `npx` is not npm's.
    const isNpms = program !== undefined && (path.isAbsolute(arg) || arg.endsWith('js'));
    if (isNpms) return { program, args: args.slice(at + 1), isMovable: isMovable && path.isAbsolute(arg) };
    if (!mayBeValue(arg, before)) return undefined;
    isMovable &&= /^\d+$/.test(arg);
  }
  return undefined;
}

/** Options that run code instead of a script: what follows are arguments of the code. */
const EVALUATES = /^(?:-e|--eval|-p|-pe|--print)$/;

/** Options of node with a file or module, which node looks for from its working folder. */
const NAMES_FILE =
  /^(?:-r|--(?:require|import|loader|experimental-loader|env-file|env-file-if-exists|experimental-config-file|snapshot-blob|openssl-config|icu-data-dir))$/;

/** Options of node whose value is the next argument and the same in every folder. */
const TAKES_VALUE =
  /^(?:-C|--(?:conditions|title|input-type|unhandled-rejections|dns-result-order|disable-warning|inspect-port|stack-trace-limit|max-http-header-size|v8-pool-size))$/;

/** Whether this may be the value of an unknown option. A script has a file extension or a path separator. */
function mayBeValue(arg: string, before: string): boolean {
  return /^-[^=]+$/.test(before) && before !== '--' && !/[/\\]|\.[cm]?[jt]sx?$/.test(arg);
}
