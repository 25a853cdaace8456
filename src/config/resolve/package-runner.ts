import { trustsEveryProject } from '../files/sources.ts';
import type { ServerEntry } from '../server-entry.ts';
import { type CommandLine, scriptOf, unwrapCommand } from './unwrapped-command.ts';
import { readUvArguments } from './uv-arguments.ts';

/** A program that finds a package and runs it. */
export interface PackageRunner {
  readonly name: string;
  /** Whether it can be kept from finding packages and settings in the folder in which the server runs. */
  readonly canBeIsolated: boolean;
}

/** Returns the package runner that this command line starts; undefined if it starts something else. */
export function findPackageRunner(line: CommandLine, platform: NodeJS.Platform): PackageRunner | undefined {
  const launched = unwrapCommand(line, platform);
  const script = scriptOf(launched);
  if (script !== undefined) return runnerInScript(script);
  const { program, args, canChangeFolder } = launched;
  const verb = RUNNERS.get(program)?.(args);
  if (verb === undefined) return undefined;
  // npm runs the package through a configurable shell, which changes back to the server's folder. Not so on Windows.
  const isNpm = program === 'npx' || (program === 'npm' && NPM_EXEC.includes(verb));
  const hasOwnShell = args.some((arg) => arg.startsWith('--script-shell'));
  const canBeIsolated = isNpm && canChangeFolder && platform !== 'win32' && !hasOwnShell;
  return { name: `${program} ${verb}`.trim(), canBeIsolated };
}

/** Finds the subcommand that runs a package; empty if the program needs none, undefined if it runs no package. */
type FindVerb = (args: readonly string[]) => string | undefined;

const always: FindVerb = () => '';
const oneOf =
  (...verbs: readonly string[]): FindVerb =>
  (args) =>
    firstWord(args, (word) => verbs.includes(word));

/** npm accepts every unambiguous abbreviation; `ex` could also be `explain` or `explore`. */
const NPM_EXEC: readonly string[] = ['exec', 'exe', 'x'];
/** Subcommands that run a script of the package.json in the folder. */
const SCRIPT_VERBS: readonly string[] = ['run', 'run-script', 'start', 'test', 'restart'];

/** Excludes `uvx`, which reads no settings of a project and runs none of its programs. */
const RUNNERS: ReadonlyMap<string, FindVerb> = new Map([
  ['npx', always],
  ['npm', oneOf(...NPM_EXEC, ...SCRIPT_VERBS)],
  ['pnpx', always],
  ['pnx', always],
  ['pnpm', oneOf('dlx', 'exec', ...SCRIPT_VERBS)],
  ['yarn', oneOf('dlx', 'exec', ...SCRIPT_VERBS)],
  ['yarnpkg', oneOf('dlx', 'exec', ...SCRIPT_VERBS)],
  ['bunx', always],
  ['bun', bunVerb],
  ['uv', uvVerb],
  ['deno', denoVerb],
]);

/**
 * Returns the first word that is not an option, if wanted. A word after an option may be its value, so the next is
 * tried too.
 */
function firstWord(args: readonly string[], isWanted: (word: string) => boolean): string | undefined {
  for (const [at, arg] of args.entries()) {
    if (arg.startsWith('-')) continue;
    if (isWanted(arg)) return arg;
    const before = args[at - 1] ?? '';
    if (!before.startsWith('-') || before.includes('=')) return undefined;
  }
  return undefined;
}

/** Counts a file as well: `bunfig.toml` in the folder may name code that runs before it. */
function bunVerb(args: readonly string[]): string | undefined {
  const isFile = args.some((arg) => !arg.startsWith('-'));
  return oneOf('x', 'run')(args) ?? (isFile ? '' : undefined);
}

/** Returns undefined if an option names another folder or project. */
function uvVerb(args: readonly string[]): string | undefined {
  const { verb, hasOwnProject } = readUvArguments(args);
  return verb === 'run' && !hasOwnProject ? verb : undefined;
}

/** Matches packages only, because `deno.json` and `node_modules` in the folder decide which code runs. */
function denoVerb(args: readonly string[]): string | undefined {
  const verb = oneOf('run')(args) ?? '';
  const rest = args.slice(args.indexOf(verb) + 1);
  return firstWord(rest, (word) => /^(?:npm|jsr):/.test(word)) === undefined ? undefined : verb;
}

/** Finds a runner in a script. The script may do other things as well, so it cannot run in another folder. */
function runnerInScript(script: string): PackageRunner | undefined {
  const name = RUNNER_IN_SCRIPT.exec(script)?.[1];
  return name === undefined ? undefined : { name: name.replace(/\s+/, ' '), canBeIsolated: false };
}

const RUNNER_IN_SCRIPT = new RegExp(
  `(?:^|[\\s;&|()'"\`/\\\\])(${[
    'npx|pnpx|pnx|bunx',
    `npm\\s+(?:exec?|x|${SCRIPT_VERBS.join('|')})`,
    `pnpm\\s+(?:dlx|exec|${SCRIPT_VERBS.join('|')})`,
    `yarn(?:pkg)?\\s+(?:dlx|exec|${SCRIPT_VERBS.join('|')})`,
    'bun\\s+(?:x|run)',
    'uv\\s+run(?!\\s[^;&|]*--(?:directory|project)[\\s=])',
    'deno\\s+run(?=\\s[^;&|]*(?:npm|jsr):)',
  ].join('|')})(?=[\\s;&|)'"\`]|$)`,
);

/**
 * Returns whether an entry of the user's own config runs in the client's folder, whichever that is. The packages and
 * settings of that folder, which nobody has trusted, must not decide what runs. An entry with a `cwd`, and one of a
 * project, names its folder itself.
 */
export function runsInUnknownFolder(
  { origin, transport }: Pick<ServerEntry, 'origin' | 'transport'>,
  env: Readonly<Record<string, string | undefined>>,
): boolean {
  if (trustsEveryProject(env)) return false;
  const isUsersOwn = ['global', 'codex', 'explicit'].includes(origin.layer);
  return isUsersOwn && transport.kind === 'stdio' && transport.cwd === undefined;
}

/** Returns a warning about an entry whose runner takes packages from the client's folder, trusted or not. */
export function runnerWarning(entry: ServerEntry, platform: NodeJS.Platform): string | undefined {
  const { transport } = entry;
  if (transport.kind !== 'stdio' || !runsInUnknownFolder(entry, {})) return undefined;
  const runner = findPackageRunner(transport, platform);
  if (runner === undefined || runner.canBeIsolated) return undefined;
  return `${runner.name} prefers packages, scripts and settings from the client's folder, even in a project that you do not trust: use npx or uvx as the command itself, or set cwd`;
}
