import { type CommandLine, launchedCommand } from './launched-command.ts';
import type { ServerEntry } from './server-entry.ts';

/** A program that finds a package and runs it. */
export interface PackageRunner {
  readonly name: string;
  /** Whether it can be kept from finding packages and settings in the folder in which the server runs. */
  readonly canRunOutside: boolean;
}

/** The package runner that this command line starts; undefined when it starts something else. */
export function packageRunnerOf(line: CommandLine, platform: NodeJS.Platform): PackageRunner | undefined {
  const { program, args, isMovable } = launchedCommand(line, platform);
  if (SHELL.test(program)) return runnerInScript(args.join(' '));
  const runner = RUNNERS.find(([name]) => name === program);
  // It may start what its arguments name, as `xargs` and `sudo` do.
  if (runner === undefined && !OWN_ARGUMENTS.test(program)) return runnerInScript(args.join(' '));
  const [, verbs] = runner ?? [];
  const verb = verbs === undefined ? '' : verbOf(args, verbs);
  if (runner === undefined || verb === undefined) return undefined;
  // npm starts what it found by a shell that can be chosen; that is how it gets back to its folder. Not so on Windows.
  const isNpm = program === 'npx' || program === 'npm';
  const hasOwnShell = args.some((arg) => arg.startsWith('--script-shell'));
  const canRunOutside = isNpm && isMovable && platform !== 'win32' && !hasOwnShell;
  return { name: `${program} ${verb}`.trim(), canRunOutside };
}

/** `uvx` is not among them: it reads no settings of a project, and runs none of its programs. */
const RUNNERS: readonly (readonly [program: string, verbs?: readonly string[]])[] = [
  ['npx'],
  ['npm', ['exec', 'x']],
  ['pnpx'],
  ['pnx'],
  ['pnpm', ['dlx', 'exec']],
  ['yarn', ['dlx', 'exec']],
  ['bunx'],
  ['bun', ['x']],
];

/** Programs whose arguments do not start a program in the folder of the client. */
const OWN_ARGUMENTS =
  /^(?:node|deno|python[\d.]*|py|uvx?|pipx|ruby|perl|php|java|dotnet|go|cargo|docker|podman|nerdctl|kubectl|ssh)$/i;

/** The first word that is not an option. A word after an option may be its value; then the next one is tried. */
function verbOf(args: readonly string[], verbs: readonly string[]): string | undefined {
  for (const [at, arg] of args.entries()) {
    if (arg.startsWith('-')) continue;
    if (verbs.includes(arg)) return arg;
    const before = args[at - 1] ?? '';
    if (!before.startsWith('-') || before.includes('=')) return undefined;
  }
  return undefined;
}

const SHELL = /^(?:(?:ba|da|z|k|fi)?sh|cmd|pwsh|powershell)$/i;

/** A script may do other things as well, so it cannot be moved to another folder. */
function runnerInScript(script: string): PackageRunner | undefined {
  const name = RUNNER_IN_SCRIPT.exec(script)?.[1];
  return name === undefined ? undefined : { name: name.replace(/\s+/, ' '), canRunOutside: false };
}

const RUNNER_IN_SCRIPT =
  /(?:^|[\s;&|()'"`/\\])(npx|npm\s+(?:exec|x)|pnpx|pnx|pnpm\s+(?:dlx|exec)|yarn\s+(?:dlx|exec)|bunx|bun\s+x)(?=[\s;&|)'"`]|$)/;

/**
 * Whether the user's own config runs this wherever the client works: the packages and settings of that folder, which
 * nobody has trusted, must not decide what is run. An entry with a `cwd`, and one of a project, names its folder itself.
 */
export function runsInUnknownFolder(
  { origin, transport }: Pick<ServerEntry, 'origin' | 'transport'>,
  env: Readonly<Record<string, string | undefined>>,
): boolean {
  if (['1', 'true'].includes(env['SWITCHBOARD_TRUST_PROJECT'] ?? '')) return false;
  const isUsersOwn = ['global', 'codex', 'explicit'].includes(origin.layer);
  return isUsersOwn && transport.kind === 'stdio' && transport.cwd === undefined;
}

/** A warning about an entry whose runner takes packages from the folder of the client, whoever wrote that. */
export function runnerWarning(entry: ServerEntry, platform: NodeJS.Platform): string | undefined {
  const { transport } = entry;
  if (transport.kind !== 'stdio' || !runsInUnknownFolder(entry, {})) return undefined;
  const runner = packageRunnerOf(transport, platform);
  if (runner === undefined || runner.canRunOutside) return undefined;
  return `${runner.name} prefers packages and settings of the client's folder, even of a project that you do not trust: use npx or uvx as the command itself, or set cwd`;
}
