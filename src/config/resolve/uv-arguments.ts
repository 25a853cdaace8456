import { isAbsolute } from 'node:path';

/** The arguments of `uv`, or of `uvx`. */
export interface UvArguments {
  /** The subcommand: `run`, `tool`. */
  readonly verb: string | undefined;
  /** Whether the packages and settings it uses are independent of the working folder. */
  readonly hasOwnProject: boolean;
  /** The command line that `uv run`, `uvx` or `uv tool run` starts in the working folder. */
  readonly starts: readonly string[] | undefined;
}

/** Reads the arguments of `uv run` and `uv tool run`. Arguments after the command do not belong to uv. */
export function readUvArguments(args: readonly string[]): UvArguments {
  const isWord = (arg: string, at: number) => !arg.startsWith('-') && !TAKES_VALUE.test(args[at - 1] ?? '');
  const verb = args.find(isWord);
  const verbs = verb === 'tool' ? ['tool', 'run'] : ['run'];
  const isCommand = (arg: string, at: number) => isWord(arg, at) && !verbs.includes(arg);
  const command = args.findIndex((arg, at) => isCommand(arg, at) || MODULE.test(arg));
  const own = command === -1 ? args : args.slice(0, command);
  const hasFolder = hasAbsolute(own, '--directory');
  return {
    verb: own.find(isWord),
    hasOwnProject: hasFolder || hasAbsolute(own, '--project'),
    starts: command === -1 || hasFolder || !own.includes('run') ? undefined : startedBy(args.slice(command)),
  };
}

/** Reads the arguments of `uvx`, which is `uv tool run`. */
export function readUvxArguments(args: readonly string[]): UvArguments {
  return readUvArguments(['tool', 'run', ...args]);
}

/** Returns the started command line. `uv run -m name` starts Python; a command may name a version: `python@3.12`. */
function startedBy([first = '', ...rest]: readonly string[]): readonly string[] {
  if (MODULE.test(first)) return ['python', '-m', ...rest];
  return [first.replace('@', ''), ...rest];
}

function hasAbsolute(args: readonly string[], folderOption: string): boolean {
  return args.some((arg, at) => {
    const [option, value = args[at + 1] ?? ''] = arg.split('=', 2);
    return option === folderOption && isAbsolute(value);
  });
}

const MODULE = /^(?:-m|--module)$/;
const TAKES_VALUE =
  /^(?:-[pwcbCfiP]|--(?:directory|project|from|with|with-editable|with-requirements|python|python-platform|extra|no-extra|group|no-group|only-group|package|env-file|index|default-index|index-url|extra-index-url|find-links|cache-dir|config-file|config-setting|constraints|overrides|build-constraints|link-mode|resolution|prerelease|exclude-newer|refresh-package|reinstall-package|upgrade-package|color))$/;
