#!/usr/bin/env node
import { homedir } from 'node:os';
import { toExit } from '../base/error-translation.ts';
import { AppError } from '../base/errors.ts';
import { VERSION } from '../base/version.ts';
import { createOutput, type Output } from './output.ts';
import { showHelp } from './terminal/show-help.ts';

/** The environment of a command. Commands read it from here and not from the process. */
export interface CommandContext {
  readonly output: Output;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Working directory. */
  readonly cwd: string;
  readonly home: string;
  /** Root folder of the package, which contains the examples. */
  readonly packageRoot: URL;
}

interface Command {
  readonly summary: string;
  /** Option lines of `--help`. */
  readonly options?: readonly string[];
  /** The command handles `--help` itself. */
  readonly hasHelp?: boolean;
  /** Loads the command lazily, so that startup pays only for the command that runs. */
  run(args: readonly string[], context: CommandContext): Promise<void>;
}

const commands: Readonly<Record<string, Command>> = {
  gateway: {
    summary: 'serve every configured MCP server behind one endpoint on stdin and stdout',
    options: [
      '',
      '  --config <file>     read only this file; may be repeated',
      '  --only <a,b>        start only these servers',
      '  --prefix on|off     put the name of its server before that of a tool (default: on)',
      '  --profile <name>    write tools as this client needs them: auto, none, codex, codex-legacy (default: auto)',
      '  --lazy              start servers whose tools are cached only at their first call',
      '  --trace <file>      write down every message on both sides, secrets masked',
      '  --check [--json]    show the state of every server, and exit with 0 (all ready) or 4',
      '  --explain <server>[.<tool>] [--json]',
      '                      show where its settings came from and how --profile changes its tools',
      '  -- <command> [args] serve this one server, as it is',
    ],
    run: (args, context) => gateway(args, context),
  },
  codex: {
    summary: 'serve Codex as MCP tools on stdin and stdout, or as a drop-in for codex mcp-server',
    options: [
      '',
      'Usage: switchboard codex [options]',
      '       switchboard codex mcp-server [options]   the same with --tools compat',
      '',
      '  --tools <set>          core (default): start, say, status, respond, interrupt, list, wait',
      '                         full: also fork, review, diff, read, models, usage',
      '                         compat: codex and codex-reply, the drop-in for codex mcp-server; all: every one',
      '  --engine <name>        auto (default), app-server, exec',
      '  --max-sandbox <mode>   the most that a session may have: read-only, workspace-write, danger-full-access',
      '  --allow-root <dir>     sessions may work in this folder only; may be given several times',
      '  --approvals <who>      who may approve what Codex asks',
      '                         any (default without limits): the person asked by the client, or codex_respond',
      '                         user (default with --max-sandbox or --allow-root): only that person; none: everything is refused',
      '  --allow-dangerous      let callers run without a sandbox and pass settings that start programs',
      '  --max-wait <seconds>   how long a call may block (default: 50, for Codex as a client 280)',
      '  --no-events            compat: no codex/event notifications',
      '',
      'Variables (CODEX_CLI_PATH, CODEX_HOME, MAX_SESSIONS and others), tools and results: docs/codex.md',
    ],
    run: async (args, context) => (await import('./codex/command.ts')).codex(args, context),
  },
  warm: {
    summary: 'start every server once and keep what it offers, so that no client waits for it',
    options: [
      '',
      'Usage: switchboard warm [options]',
      '',
      '  --config <file>     read only this file; may be repeated',
      '  --only <a,b>        start only these servers',
      '  --json              print one JSON document',
      '',
      'Exits with 0, or with 4 when a server is not ready. Run it after adding servers, or at login.',
    ],
    run: async (args, context) => (await import('./gateway/warm.ts')).warm(args, context),
  },
  mcp: {
    summary: 'add, watch, call, test and sign in to MCP servers: switchboard mcp <verb>',
    hasHelp: true,
    run: async (args, context) => (await import('./mcp/command.ts')).mcp(args, context),
  },
  trust: {
    summary: 'trust the servers of a project, or the held-back tools of a server: switchboard trust [dir|server]',
    options: [
      '',
      'Usage: switchboard trust [dir|server] [options]',
      '',
      '  --config <file>     with a server: read only this file',
      '  --yes               trust without asking',
      '  --json              print one JSON document',
      '',
      'Shows every program, address and variable first. Exits with 9 when nothing was trusted.',
    ],
    run: async (args, context) => (await import('./trust/command.ts')).trust(args, context),
  },
  untrust: {
    summary: 'stop trusting the servers of a project: switchboard untrust [dir]',
    options: ['', 'Usage: switchboard untrust [dir] [--json]'],
    run: async (args, context) => (await import('./trust/command.ts')).untrust(args, context),
  },
  '/mcp': {
    summary: 'show the live status of your servers: switchboard mcp status',
    run: async (args, context) => (await import('./mcp/command.ts')).mcp(['status', ...args], context),
  },
  completion: {
    summary: 'print a script that lets your shell complete commands, servers and tools',
    options: [
      '',
      'Usage: switchboard completion bash|zsh|fish',
      '',
      'To install it:',
      '  bash   source <(switchboard completion bash)              in ~/.bashrc',
      '  zsh    source <(switchboard completion zsh)               in ~/.zshrc, after compinit',
      '  fish   switchboard completion fish > ~/.config/fish/completions/switchboard.fish',
    ],
    run: async (args, context) => (await import('./completion/command.ts')).completion(args, context),
  },
  tour: {
    summary: 'show the gateway at work: two example servers behind one endpoint, one killed and back again',
    run: async (_, context) => (await import('./tour.ts')).tour(context),
  },
};

/** Verbs of `switchboard mcp` that also work without `mcp`. */
const SHORT_FORMS = new Set(['add', 'list', 'test', 'login', 'call', 'tools', 'status']);

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
});

async function main([name, ...args]: readonly string[], context: CommandContext): Promise<void> {
  try {
    if (isBareGateway(name)) return await gateway(name === undefined ? [] : [name, ...args], context);
    if (name === undefined) return await (await import('./mcp/status/command.ts')).showStatus(context);
    if (name === '--help' || name === '-h') return showHelp(overview(), context);
    if (name === '--version' || name === '-V' || name === '-v') return context.output.answer(VERSION);
    if (name === 'help') return await helpFor(args, context);
    if (SHORT_FORMS.has(name)) return await (await import('./mcp/command.ts')).mcp([name, ...args], context);
    const command = findCommand(name);
    if (command === undefined) throw await unknownCommand(name);
    const own = argumentsBeforeDashes(args);
    if (command.hasHelp !== true && (own.includes('--help') || own.includes('-h')))
      return showHelp(helpOf(name, command), context);
    await command.run(args, context);
  } catch (error) {
    const json = argumentsBeforeDashes(args).includes('--json');
    const { status, text } = toExit(error, { json });
    // Text is already one neutralised line; the JSON data may contain anything that a server sent.
    if (json)
      context.output.report((await import('../base/text/visible-text.ts')).escapeInvisible(text), {
        isVerbatim: true,
      });
    else context.output.report(text);
    process.exitCode = status;
  }
}

async function gateway(args: readonly string[], context: CommandContext): Promise<void> {
  return (await import('./gateway/command.ts')).gateway(args, context);
}

/** Arguments after `--` belong to another program. */
function argumentsBeforeDashes(args: readonly string[]): readonly string[] {
  const end = args.indexOf('--');
  return end === -1 ? args : args.slice(0, end);
}

/** Handles `switchboard help`, `switchboard help gateway` and `switchboard help mcp add`. */
async function helpFor([name, ...rest]: readonly string[], context: CommandContext): Promise<void> {
  if (name === undefined) return showHelp(overview(), context);
  const mcp = async (args: readonly string[]) => (await import('./mcp/command.ts')).mcp(args, context);
  if (name === 'mcp') return mcp(['help', ...rest]);
  if (SHORT_FORMS.has(name)) return mcp(['help', name]);
  const command = findCommand(name);
  if (command === undefined) throw await unknownCommand(name);
  showHelp(helpOf(name, command), context);
}

function findCommand(name: string): Command | undefined {
  return Object.hasOwn(commands, name) ? commands[name] : undefined;
}

async function unknownCommand(name: string): Promise<AppError> {
  return (await import('./unknown-command.ts')).unknownCommand(name, Object.keys(commands));
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

function overview(): string {
  const lines = Object.entries(commands).map(([name, { summary }]) => `  ${name.padEnd(12)}${summary}`);
  return [
    'Usage: switchboard <command>',
    '',
    ...lines,
    '',
    `  ${[...SHORT_FORMS].join(', ')}: short for switchboard mcp …`,
    '',
    '  --version   print the version',
    '  --help      print this; switchboard help <command> prints the options of one',
  ].join('\n');
}

function helpOf(name: string, { summary, options = [] }: Command): string {
  return [`switchboard ${name}: ${summary}`, ...options].join('\n');
}
