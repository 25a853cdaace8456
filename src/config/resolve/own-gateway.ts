import { commandName } from '../entry/entry-name.ts';
import type { StdioSettings } from '../server-entry.ts';

/**
 * Returns whether an entry starts switchboard's own gateway, which would read the same config and start itself again.
 * `switchboard -- <cmd>` and `switchboard codex` read no config and are servers like any other.
 */
export function isOwnGateway({ command, args }: Pick<StdioSettings, 'command' | 'args'>): boolean {
  const rest = switchboardArgs([command, ...args]);
  return rest !== undefined && (rest.length === 0 || rest[0] === 'gateway');
}

/** Returns whether an entry starts switchboard's own Codex server, as `connect --codex` writes it. */
export function isOwnCodexServer({ command, args }: Pick<StdioSettings, 'command' | 'args'>): boolean {
  return switchboardArgs([command, ...args])?.[0] === 'codex';
}

/** Returns the arguments after the word that starts switchboard; undefined if the command starts something else. */
function switchboardArgs([command = '', ...args]: readonly string[]): readonly string[] | undefined {
  if (isSwitchboard(command, args[0])) return args;
  if (!LAUNCHERS.has(commandName(command).toLowerCase())) return undefined;
  const program = args.findIndex((arg) => !isLauncherArgument(arg));
  const word = args[program];
  if (word === undefined || !isSwitchboard(word, args[program + 1])) return undefined;
  const rest = args.slice(program + 1);
  // `npx -p switchboard switchboard`: the package, then its command.
  return rest[0] === 'switchboard' ? rest.slice(1) : rest;
}

/**
 * Returns whether a word starts switchboard. A build may be in a folder of any name; then only a following `gateway`
 * makes it certain.
 */
function isSwitchboard(word: string, next: string | undefined): boolean {
  const parts = word.split(/[/\\]/);
  if (/^switchboard(@[^@]*)?(\.(cmd|exe|ps1))?$/i.test(parts.at(-1) ?? '')) return true;
  if (!/^dist\/cli\/(?:main\.js|start\.cjs)$/.test(parts.slice(-3).join('/'))) return false;
  return parts.at(-4) === 'switchboard' || next === 'gateway';
}

const LAUNCHERS: ReadonlySet<string> = new Set([
  'npx',
  'npm',
  'pnpm',
  'pnpx',
  'yarn',
  'bunx',
  'bun',
  'node',
  'deno',
  'cmd',
  'env',
]);

/**
 * Returns whether an argument is an option, variable or subcommand between a launcher and the program that it launches.
 */
function isLauncherArgument(arg: string): boolean {
  return arg.startsWith('-') || /^\w+=/.test(arg) || LAUNCHER_SUBCOMMANDS.has(arg.toLowerCase());
}

const LAUNCHER_SUBCOMMANDS: ReadonlySet<string> = new Set(['exec', 'dlx', 'x', 'run', '/c', '/d', '/s', 'npx', 'node']);
