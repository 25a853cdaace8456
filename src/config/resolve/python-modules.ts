import type { ServerEntry } from '../server-entry.ts';
import { runsInUnknownFolder } from './package-runner.ts';
import { type CommandLine, scriptOf, unwrapCommand } from './unwrapped-command.ts';
import { readUvArguments, readUvxArguments, type UvArguments } from './uv-arguments.ts';

/** With this variable, Python 3.11 and later do not look for modules in the folder in which they start. */
export const SAFE_PATH = { PYTHONSAFEPATH: '1' };

/**
 * Returns whether this command line starts a Python that looks for modules in its working folder, as `python3 -m name`
 * does.
 */
export function takesModulesFromFolder(line: CommandLine, platform: NodeJS.Platform): boolean {
  return pythonOf(line, platform) !== undefined;
}

/** Returns a warning about an entry whose Python may take modules from the client's folder. */
export function pythonWarning(entry: ServerEntry, platform: NodeJS.Platform): string | undefined {
  const { transport } = entry;
  if (transport.kind !== 'stdio' || !runsInUnknownFolder(entry, {})) return undefined;
  const python = pythonOf(transport, platform) ?? pythonInScript(transport, platform);
  if (python === undefined) return undefined;
  if (python.obeysVariable && isSafeVersion(python.version)) return undefined;
  const who = python.obeysVariable ? `${python.name}: Python before 3.11` : python.name;
  return `${who} loads modules from the folder where it starts, even in a project that you do not trust: add -P to args (Python 3.11 or newer), or set cwd`;
}

interface Python {
  /** For messages. */
  readonly name: string;
  /** The version, if the command line names one: `3.12`, `3`. */
  readonly version: string | undefined;
  /** Whether `SAFE_PATH` takes effect: nothing on the command line removes or ignores the variable. */
  readonly obeysVariable: boolean;
}

function pythonOf(line: CommandLine, platform: NodeJS.Platform): Python | undefined {
  const { program, args, canChangeFolder } = unwrapCommand(line, platform);
  const startedByUv = UV.get(program)?.(args).starts;
  if (startedByUv !== undefined) {
    const [command = '', ...rest] = startedByUv;
    return pythonOf({ command, args: rest }, platform);
  }
  const [, named] = PYTHON.exec(program) ?? [];
  const read = PYTHON.test(program) ? readOptions(args) : undefined;
  if (read === undefined) return undefined;
  const { mode, version, ignoresVariables } = read;
  return {
    name: `${program} ${mode}`.trim(),
    version: named || version,
    obeysVariable: canChangeFolder && !ignoresVariables,
  };
}

const UV: ReadonlyMap<string, (args: readonly string[]) => UvArguments> = new Map([
  ['uv', readUvArguments],
  ['uvx', readUvxArguments],
]);

const PYTHON = /^(?:(?:pythonw?|pypy)([\d.]*)t?|pyw?)$/i;

interface PythonOptions {
  /** Option for the code that Python runs: `-m`, `-c`, or empty for its standard input. */
  readonly mode: string;
  /** From the options of the Windows launcher: `py -3.12`. */
  readonly version: string | undefined;
  readonly ignoresVariables: boolean;
}

/**
 * Returns undefined for a script, which imports from its own folder, and for options that exclude the working folder.
 */
function readOptions(args: readonly string[]): PythonOptions | undefined {
  const seen = { version: undefined as string | undefined, ignoresVariables: false };
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] ?? '';
    if (arg === '-') break;
    if (!arg.startsWith('-')) return undefined;
    if (arg === '--check-hash-based-pycs') at++;
    seen.version ??= /^-(?:V:)?(\d[\d.]*)/.exec(arg)?.[1];
    const [, letters = '', last, value] = CLUSTER.exec(arg) ?? [];
    if (/[IP]/.test(letters)) return undefined;
    seen.ignoresVariables ||= letters.includes('E');
    if (last === 'm' || last === 'c') return { ...seen, mode: `-${last}` };
    if (last !== undefined && value === '') at++;
  }
  return { ...seen, mode: '' };
}

/** A group of one-letter options; only the last one may take a value. */
const CLUSTER = /^-([A-Za-z]*?)(?:([mcWX])(.*))?$/s;

/**
 * Finds `python -m` in a script. The script may also run Python files that import from their own folder, so it does not
 * get the variable.
 */
function pythonInScript(line: CommandLine, platform: NodeJS.Platform): Python | undefined {
  const script = scriptOf(unwrapCommand(line, platform)) ?? '';
  const name = PYTHON_IN_SCRIPT.exec(script)?.[1];
  return name === undefined ? undefined : { name: `${name} -m`, version: undefined, obeysVariable: false };
}

const PYTHON_IN_SCRIPT =
  /(?:^|[\s;&|()'"`/\\])((?:python|pypy)[\d.]*|py)\s+(?:-[A-HJ-OQ-Za-z\d.]+\s+)*?-[A-HJ-OQ-Za-z]*m\s/;

function isSafeVersion(version = ''): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major > 3 || (major === 3 && minor >= 11);
}
