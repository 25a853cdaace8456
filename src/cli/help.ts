import { codexHelp, codexSubcommandHelp } from './codex/help-lines.ts';
import type { CommandName } from './command-line.ts';
import type { CommandSpec } from './completion/command-spec.ts';
import { longForms } from './completion/command-tree.ts';
import { mcpVerbs } from './completion/mcp-verbs.ts';

/** Returns the list of commands. `shortForms` are the verbs of `switchboard mcp` that also work without `mcp`. */
export function overview(shortForms: readonly string[]): string {
  const line = (name: string, summary: string) => `  ${name.padEnd(12)}${summary}`;
  const others = shortForms.filter((name) => !EVERYDAY.some((one) => one === name));
  return [
    'Usage: switchboard <command>',
    '',
    'Everyday commands:',
    ...EVERYDAY.map((name) => line(name, mcpVerbs[name].summary)),
    `  Also: ${others.join(', ')}`,
    '',
    'Commands:',
    ...Object.entries(longForms).map(([name, { summary }]) => line(name, summary)),
    '',
    '  --version   print the version',
    '  --help      print this; switchboard help <command> prints the options of a command',
  ].join('\n');
}

/** Verbs of `switchboard mcp` that most users need, in the order of the overview. */
const EVERYDAY = ['list', 'tools', 'call', 'status', 'add', 'test', 'login'] as const;

/** Returns the help of one command. */
export function commandHelp(name: CommandName): string {
  return helpText(name, longForms[name], LINES[name]);
}

/** Returns the help of a subcommand such as `codex run`; undefined if it has none of its own. */
export function subcommandHelp(name: CommandName, subcommand: string): string | undefined {
  const lines = SUBCOMMAND_LINES[name]?.[subcommand];
  const spec = longForms[name].subcommands?.[subcommand];
  return spec === undefined || lines === undefined ? undefined : helpText(`${name} ${subcommand}`, spec, lines);
}

/** Returns the names of the subcommands of a command. */
export function subcommandsOf(name: CommandName): readonly string[] {
  return Object.keys(longForms[name].subcommands ?? {});
}

function helpText(name: string, { summary }: CommandSpec, lines: readonly string[]): string {
  return [`switchboard ${name}: ${summary}`, ...(lines.length === 0 ? [] : ['', ...lines])].join('\n');
}

const TOKEN_OPTIONS: readonly string[] = [
  '  --view <name>       permit only this view',
  '  --role <role>       use (default) or admin (the same for now): may call servers; read: may not',
  '  --expires <time>    end after a time such as 12h, 30d or 8w (default: never)',
  '  --folders           reserved for a later version; no effect yet',
  '  --json              print one JSON document',
];

/** The help of each command below its summary, which is in the command tree. */
const LINES: Readonly<Record<CommandName, readonly string[]>> = {
  setup: [
    'Usage: switchboard setup [client…] [options]',
    '',
    'Clients to connect: codex, claude, claude-desktop, cursor, vscode, gemini, windsurf, zed, opencode,',
    'copilot. Default: all that have servers.',
    '',
    '  --dry-run           show every change; write nothing and start nothing',
    '  --yes               set up without asking; trusts no project and signs in nowhere',
    '  --undo              reverse everything that setup did',
    '  --json              print one JSON document; needs --yes, --dry-run or --undo',
    '',
    'Changes nothing until you agree. Until you have a config, switchboard without a command runs setup.',
    'Exits with 0, 7 (a client was not connected), 9 (you declined) or 130 (interrupted).',
  ],
  gateway: [
    '  --config <file>     read only this file; may be repeated',
    '  --only <a,b>        start only these servers',
    '  --client <name>     show only the servers that this client had or that were shared with it',
    '  --view <name>       show only what this view of the config contains',
    '  --prefix on|off     prefix tool names with the name of their server (default: on)',
    '  --profile <name>    adapt tools to this client: auto (default), none, codex, codex-legacy',
    '  --lazy              start servers with cached tools only at their first call',
    '  --http [host:]port  serve any number of clients over HTTP (default: 127.0.0.1:4747)',
    '  --auth token|none   with --http: clients need a token (default), or nothing on this machine',
    '  --tls-cert <file> --tls-key <file>',
    '                      with --http: serve HTTPS',
    '  --public-url <url>  with --http: the URL that clients use behind a reverse proxy',
    '  --trace <file>      record every message on both sides, with secrets redacted',
    '  --check [--json]    show the state of every server, and exit with 0 (all ready) or 4',
    '  --explain <server>[.<tool>] [--json]',
    '                      show where its settings came from and how --profile changes its tools',
    '  -- <command> [args] serve only this server, unchanged',
  ],
  codex: codexHelp,
  warm: [
    'Usage: switchboard warm [options]',
    '',
    '  --config <file>     read only this file; may be repeated',
    '  --only <a,b>        start only these servers',
    '  --json              print one JSON document',
    '',
    'Exits with 0, or with 4 if a server is not ready. Run it after you add servers, or at login.',
  ],
  mcp: [],
  import: [
    'Usage: switchboard import [names…] [options]',
    '',
    '  --from <source>     a client (codex, claude, claude-desktop, cursor, vscode, gemini, windsurf, zed,',
    '                      opencode, copilot), a file, or - for stdin (default: every client)',
    '  --all               import everything without asking',
    '  --new               import only servers that appeared since the last import',
    '  --dry-run           show what would be imported, and write nothing',
    '  --scope <scope>     global or project (default: global; project for servers of a project)',
    '  --replace           overwrite servers that have the same id but different settings',
    '  --yes               answer yes to every question',
    '  --json              print one JSON document',
    '',
    'Starts nothing and connects to nothing. Secrets move to the secret store: switchboard secret list',
  ],
  trust: [
    'Usage: switchboard trust [dir|server] [options]',
    '',
    '  --config <file>     with a server: read only this file',
    '  --yes               trust without asking',
    '  --json              print one JSON document',
    '',
    'Shows every program, URL and variable first. Exits with 9 if you trusted nothing.',
  ],
  untrust: ['Usage: switchboard untrust [dir] [--json]'],
  doctor: [
    'Usage: switchboard doctor [server…] [options]',
    '',
    'Checks Node, Codex, config files and trust, every server, every client, leftovers of killed processes, and the',
    'permissions of your files. With names: only these servers.',
    '',
    '  --fix               fix what is safe to fix, and report each fix',
    '  --timeout <seconds> how long each server may take (default: 10)',
    '  --json              print one JSON document',
    '',
    'Exits with 0 if nothing fails (warnings do not count), otherwise with the highest of: 3 sign-in needed,',
    '4 cannot start or be reached, 7 config invalid, 8 timed out, 9 unsafe permissions.',
  ],
  connect: [
    'Usage: switchboard connect [client…] [options]',
    '',
    'Clients: codex, claude, claude-desktop, cursor, vscode, gemini, windsurf, zed, opencode, copilot.',
    'Default: all that are installed.',
    '',
    '  --all-servers       give the client all your servers, not only those that it had before',
    '  --codex             also add Codex as tools',
    "  --keep-servers      leave the client's own servers on, even those that Switchboard now provides",
    '  --dry-run           only show the changes',
    '  --yes               make the changes without asking',
    '  --json              print one JSON document',
    '',
    'Shows every change first, and backs up each file. switchboard disconnect undoes the changes.',
  ],
  disconnect: [
    'Usage: switchboard disconnect [client…] [options]',
    '',
    '  --dry-run           only show the changes',
    '  --yes               make the changes without asking',
    '  --json              print one JSON document',
    '',
    'Default: all clients. Keeps your later changes to their files.',
  ],
  share: [
    'Usage: switchboard share                          shows the servers of each client',
    '       switchboard share <server> [client…]       lets these clients see a server; without names: all clients',
    '       switchboard share <server> [client…] --remove',
    '',
    '  --remove            hide the server from these clients',
    '  --json              print one JSON document',
    '',
    'Clients that you have not imported from see all servers. Running gateways apply changes at once.',
  ],
  upgrade: [
    'Usage: npx switchboard@latest upgrade [--json]',
    '',
    'Copies this package to the data folder. Changes no client files, and downloads nothing itself.',
  ],
  uninstall: [
    'Usage: switchboard uninstall [options]',
    '',
    '  --config            also remove your global config',
    '  --dry-run           only show what would be removed',
    '  --yes               remove it without asking',
    '  --json              print one JSON document',
  ],
  secret: [
    'Usage: switchboard secret set <name>      asks for the value, or reads a line from stdin',
    '       switchboard secret list            shows the names and the servers that use them',
    '       switchboard secret remove <name>',
    '',
    '  --json              print one JSON document',
    '',
    "A server gets the value if its entry names the variable and the client's environment does not set it.",
    'Values are stored in a file that only you can read. No command shows them.',
  ],
  token: [
    'Usage: switchboard token create <name> [options]',
    '       switchboard token list             shows the tokens and what they permit, never the tokens themselves',
    '       switchboard token revoke <name|id>',
    '',
    ...TOKEN_OPTIONS,
    '',
    'Clients of a gateway or codex server with --http send a token as Authorization: Bearer <token>.',
    'The token named local is for your own programs. Its text is in the file http-token in the data folder.',
  ],
  '/mcp': [],
  completion: [
    'Usage: switchboard completion bash|zsh|fish',
    '',
    'To install it:',
    '  bash   source <(switchboard completion bash)              in ~/.bashrc',
    '  zsh    source <(switchboard completion zsh)               in ~/.zshrc, after compinit',
    '  fish   switchboard completion fish > ~/.config/fish/completions/switchboard.fish',
  ],
  tour: [],
};

/** The help of subcommands. Verbs of `mcp` have their own texts. */
const SUBCOMMAND_LINES: Partial<Record<CommandName, Readonly<Record<string, readonly string[]>>>> = {
  codex: codexSubcommandHelp,
  secret: {
    set: ['Usage: switchboard secret set <name> [--json]'],
    list: ['Usage: switchboard secret list [--json]'],
    remove: ['Usage: switchboard secret remove <name> [--json]'],
  },
  token: {
    create: [
      'Usage: switchboard token create <name> [options]',
      '',
      ...TOKEN_OPTIONS,
      '',
      'Prints the token on stdout. It is not stored, so it cannot be shown again.',
    ],
    list: ['Usage: switchboard token list [--json]'],
    revoke: [
      'Usage: switchboard token revoke <name|id> [--json]',
      '',
      'Running servers cancel the calls and end the sessions of the token within a second.',
    ],
  },
};
