import { homedir } from 'node:os';
import { toExit } from '../base/error-translation.ts';
import { AppError } from '../base/errors.ts';
import { programName } from '../base/program-name.ts';
import { VERSION } from '../base/version.ts';
import type { CommandContext } from './command-context.ts';
import { createOutput } from './output.ts';

interface Command {
  /** The command handles `--help` itself. */
  readonly hasHelp?: boolean;
  /** Loads the command lazily, so that startup pays only for the command that runs. */
  run(args: readonly string[], context: CommandContext): Promise<void>;
}

const commands = {
  setup: { run: (args, context) => setup(args, context) },
  gateway: { run: (args, context) => gateway(args, context) },
  codex: { run: async (args, context) => (await import('./codex/command.ts')).codex(args, context) },
  warm: { run: async (args, context) => (await import('./gateway/check.ts')).warm(args, context) },
  mcp: { hasHelp: true, run: (args, context) => mcp(args, context) },
  trust: { run: async (args, context) => (await import('./trust/command.ts')).trust(args, context) },
  untrust: { run: async (args, context) => (await import('./trust/command.ts')).untrust(args, context) },
  '/mcp': { run: (args, context) => mcp(['status', ...args], context) },
  import: { run: async (args, context) => (await import('./import/command.ts')).importServers(args, context) },
  connect: { run: async (args, context) => (await import('./connect/command.ts')).connect(args, context) },
  disconnect: { run: async (args, context) => (await import('./connect/disconnect.ts')).disconnect(args, context) },
  share: { run: async (args, context) => (await import('./connect/share.ts')).share(args, context) },
  upgrade: { run: async (args, context) => (await import('./connect/upgrade.ts')).upgrade(args, context) },
  uninstall: { run: async (args, context) => (await import('./connect/uninstall.ts')).uninstall(args, context) },
  doctor: { run: async (args, context) => (await import('./doctor/command.ts')).doctor(args, context) },
  secret: { run: async (args, context) => (await import('./secret/command.ts')).secret(args, context) },
  token: { run: async (args, context) => (await import('./token/command.ts')).token(args, context) },
  completion: { run: async (args, context) => (await import('./completion/command.ts')).completion(args, context) },
  tour: { run: async (_, context) => (await import('./tour.ts')).tour(context) },
} as const satisfies Readonly<Record<string, Command>>;

/** The texts of `--help` exist for each of them. */
export type CommandName = keyof typeof commands;

/** Verbs of `switchboard mcp` that also work without `mcp`, and `ps` for `status`. */
const SHORT_FORMS: readonly string[] = [
  ...['add', 'list', 'get', 'set', 'unset', 'rename', 'remove', 'enable', 'disable'],
  ...['test', 'login', 'logout', 'call', 'tools', 'status', 'ps'],
];

const HELP_FLAGS: readonly string[] = ['--help', '-h'];
const VERSION_FLAGS: readonly string[] = ['--version', '-v', '-V'];

/** Runs the command that the arguments of the process name. */
export function runCommandLine({ stopSavingCode }: Pick<CommandContext, 'stopSavingCode'>): void {
  void main(process.argv.slice(2), {
    output: createOutput(process.stdout, process.stderr),
    // A copy, because every read of `process.env` calls into native code.
    env: { ...process.env },
    get cwd() {
      return workingFolder();
    },
    home: homedir(),
    get packageRoot() {
      return new URL('../../', import.meta.url);
    },
    stopSavingCode,
  });
}

async function main([name, ...args]: readonly string[], context: CommandContext): Promise<void> {
  try {
    if (isBareGateway(name)) return await gateway(name === undefined ? [] : [name, ...args], context);
    if (name === undefined) return await greet(context);
    if (HELP_FLAGS.includes(name)) return await showOverview(context);
    if (VERSION_FLAGS.includes(name) || asksFor(VERSION_FLAGS, args)) return context.output.answer(VERSION);
    if (name === 'help') return await helpFor(args, context);
    if (SHORT_FORMS.includes(name)) return await mcp([name, ...args], context);
    if (!isCommand(name)) throw await unknownCommand(name);
    const command: Command = commands[name];
    if (command.hasHelp !== true && asksFor(HELP_FLAGS, args)) return await showHelp(name, args, context);
    await command.run(args, context);
  } catch (error) {
    const json = argumentsBeforeDashes(args).includes('--json');
    const { status, text } = toExit(error, { json });
    // Text is already one neutralized line; the JSON data may contain anything that a server sent.
    if (json)
      context.output.report((await import('../base/text/visible-text.ts')).escapeInvisible(text), {
        isVerbatim: true,
      });
    else context.output.report(text, { isError: true });
    process.exitCode = status;
  }
}

async function gateway(args: readonly string[], context: CommandContext): Promise<void> {
  return (await import('./gateway/command.ts')).gateway(args, context);
}

async function setup(args: readonly string[], context: CommandContext): Promise<void> {
  return (await import('./setup/command.ts')).setup(args, context);
}

/** Handles `switchboard` on a terminal: sets up a new user, and shows the status to everyone else. */
async function greet(context: CommandContext): Promise<void> {
  const { isNewUser } = await import('./setup/is-new-user.ts');
  if (await isNewUser(context)) return setup([], context);
  return (await import('./mcp/status/command.ts')).showStatus(context);
}

async function mcp(args: readonly string[], context: CommandContext): Promise<void> {
  return (await import('./mcp/command.ts')).mcp(args, context);
}

/** Arguments after `--` belong to another program. */
function argumentsBeforeDashes(args: readonly string[]): readonly string[] {
  const end = args.indexOf('--');
  return end === -1 ? args : args.slice(0, end);
}

/** Whether one of these flags is given to our own command. `--arg -v` passes it to a server. */
function asksFor(flags: readonly string[], args: readonly string[]): boolean {
  const own = argumentsBeforeDashes(args);
  return own.some((arg, index) => flags.includes(arg) && own[index - 1] !== '--arg');
}

/** Handles `switchboard help`, `switchboard help gateway`, `switchboard help codex run` and `switchboard help mcp add`. */
async function helpFor([name, ...rest]: readonly string[], context: CommandContext): Promise<void> {
  if (name === undefined || HELP_FLAGS.includes(name)) return showOverview(context);
  if (name === 'mcp') return mcp(['help', ...rest], context);
  if (SHORT_FORMS.includes(name)) return mcp(['help', name, ...rest], context);
  if (!isCommand(name)) throw await unknownCommand(name);
  return showHelp(name, rest, context);
}

async function showOverview(context: CommandContext): Promise<void> {
  const { overview } = await import('./help.ts');
  const { printHelp } = await import('./terminal/print-help.ts');
  printHelp(overview(SHORT_FORMS), context);
}

/** Prints the help of a command, or of its subcommand if the first argument names one. */
async function showHelp(name: CommandName, args: readonly string[], context: CommandContext): Promise<void> {
  const { commandHelp, subcommandHelp, subcommandsOf } = await import('./help.ts');
  const { printHelp } = await import('./terminal/print-help.ts');
  const word = args.find((arg) => !arg.startsWith('-'));
  const known = subcommandsOf(name);
  const isUnknown = word !== undefined && known.length > 0 && !known.includes(word);
  if (isUnknown && word === args[0])
    throw (await import('./unknown-command.ts')).unknownSubcommand(`${programName()} ${name}`, word, known);
  printHelp((word === undefined ? undefined : subcommandHelp(name, word)) ?? commandHelp(name), context);
}

function isCommand(name: string): name is CommandName {
  return Object.hasOwn(commands, name);
}

async function unknownCommand(name: string): Promise<AppError> {
  const known = { commands: Object.keys(commands), shortForms: SHORT_FORMS };
  return (await import('./unknown-command.ts')).unknownCommand(name, known);
}

/** Throws when the folder was deleted. Evaluated lazily, so that commands that need no folder still work. */
function workingFolder(): string {
  try {
    return process.cwd();
  } catch (error) {
    const message = 'The working folder no longer exists. Change to an existing folder, then run the command again.';
    throw new AppError('USAGE', message, { cause: error });
  }
}

/** `switchboard -- <command>`, or `switchboard` on a client's pipe. */
function isBareGateway(name: string | undefined): boolean {
  return name === '--' || (name === undefined && !process.stdin.isTTY);
}
