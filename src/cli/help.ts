import type { CommandName } from './command-line.ts';

interface CommandHelp {
  readonly summary: string;
  /** Lines below the summary. */
  readonly options?: readonly string[];
}

/** In display order. */
const HELP: Readonly<Record<CommandName, CommandHelp>> = {
  setup: {
    summary: 'find the servers of your clients, import them, connect the clients and test everything',
    options: [
      '',
      'Usage: switchboard setup [client…] [options]',
      '',
      'Clients to connect: codex, claude, claude-desktop, cursor, vscode, gemini, windsurf, zed, opencode,',
      'copilot. Without names: all that have servers.',
      '',
      '  --dry-run           show every change; write nothing and start nothing',
      '  --yes               set up without asking; trusts no project and signs in nowhere',
      '  --undo              reverse everything that setup did',
      '  --json              print one JSON document; needs --yes, --dry-run or --undo',
      '',
      'Changes nothing until you agree. switchboard alone does the same as long as you have no config.',
      'Exits with 0, 7 (a client was not connected), 9 (you declined) or 130 (interrupted).',
    ],
  },
  gateway: {
    summary: 'serve every configured MCP server behind one endpoint on stdin and stdout',
    options: [
      '',
      '  --config <file>     read only this file; may be repeated',
      '  --only <a,b>        start only these servers',
      '  --client <name>     show only the servers that this client had or that were shared with it',
      '  --prefix on|off     prefix tool names with the name of their server (default: on)',
      '  --profile <name>    adapt tools to this client: auto (default), none, codex, codex-legacy',
      '  --lazy              start servers with cached tools only at their first call',
      '  --trace <file>      record every message on both sides, with secrets redacted',
      '  --check [--json]    show the state of every server, and exit with 0 (all ready) or 4',
      '  --explain <server>[.<tool>] [--json]',
      '                      show where its settings came from and how --profile changes its tools',
      '  -- <command> [args] serve only this server, unchanged',
    ],
  },
  codex: {
    summary: 'give Codex a task, or serve it as MCP tools, or as a drop-in for codex mcp-server',
    options: [
      '',
      'Usage: switchboard codex run "task" [options]   run a task and print the result',
      '       switchboard codex say <session> "…"      continue a session',
      '       switchboard codex sessions               list the stored sessions',
      '       switchboard codex show <session>         print a session',
      '       switchboard codex [options]              serve MCP tools on stdin and stdout',
      '       switchboard codex mcp-server [options]   the same with --tools compat',
      '',
      'To register the server with a client:',
      '  Claude Code   claude mcp add codex -- switchboard codex',
      '  Codex         codex mcp add codex -- switchboard codex',
      '  others        {"mcpServers": {"codex": {"command": "switchboard", "args": ["codex"]}}}',
      '',
      'Options of the server:',
      '  --tools <set>          core (default): start, say, status, respond, interrupt, list, wait',
      '                         full: also fork, review, diff, read, models, usage',
      '                         compat: codex and codex-reply, as in codex mcp-server; all: every tool',
      '  --engine <name>        auto (default), app-server, exec',
      '  --max-sandbox <mode>   highest allowed sandbox: read-only, workspace-write, danger-full-access',
      '  --allow-root <dir>     sessions may work only in this folder; may be repeated',
      '  --approvals <who>      who may answer approval requests from Codex',
      '                         any (default without limits): the user through the client, or codex_respond',
      '                         user (default with --max-sandbox, --allow-root): the user; none: refuse all',
      '  --allow-dangerous      let callers run without a sandbox and pass settings that start programs',
      '  --max-wait <seconds>   how long a call may block (default: 50; 280 if the client is Codex)',
      '  --no-events            compat: no codex/event notifications',
      '',
      'Variables (CODEX_CLI_PATH, CODEX_HOME, MAX_SESSIONS and others), tools and results: docs/codex.md',
    ],
  },
  warm: {
    summary: 'start every server once and cache what it offers, so that no client waits for it',
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
  },
  mcp: {
    summary: 'add, watch, call, test and sign in to MCP servers: switchboard mcp <verb>',
  },
  import: {
    summary: 'import the servers of Codex, Claude, Cursor, VS Code and other clients: switchboard import [names…]',
    options: [
      '',
      'Usage: switchboard import [names…] [options]',
      '',
      '  --from <source>     a client (codex, claude, claude-desktop, cursor, vscode, gemini, windsurf, zed,',
      '                      opencode, copilot), a file, or - for stdin (default: every client)',
      '  --all               import everything without asking',
      '  --new               only servers that appeared since the last import',
      '  --dry-run           show what would be imported, and write nothing',
      '  --scope <scope>     global or project (default: global; project for servers of a project)',
      '  --replace           overwrite servers of the same id that have other settings',
      '  --yes               answer yes to every question',
      '  --json              print one JSON document',
      '',
      'Starts nothing and connects to nothing. Secrets move to the secret store: switchboard secret list',
    ],
  },
  trust: {
    summary: 'trust the servers of a project, or the quarantined tools of a server: switchboard trust [dir|server]',
    options: [
      '',
      'Usage: switchboard trust [dir|server] [options]',
      '',
      '  --config <file>     with a server: read only this file',
      '  --yes               trust without asking',
      '  --json              print one JSON document',
      '',
      'Shows every program, URL and variable first. Exits with 9 when nothing was trusted.',
    ],
  },
  untrust: {
    summary: 'stop trusting the servers of a project: switchboard untrust [dir]',
    options: ['', 'Usage: switchboard untrust [dir] [--json]'],
  },
  connect: {
    summary: 'let Codex, Claude, Cursor and other clients use your servers: switchboard connect [client…]',
    options: [
      '',
      'Usage: switchboard connect [client…] [options]',
      '',
      'Clients: codex, claude, claude-desktop, cursor, vscode, gemini, windsurf, zed, opencode, copilot.',
      'Without names: all that are installed.',
      '',
      '  --all-servers       show the client all your servers, not only those that it had before',
      '  --codex             add Codex as tools, too',
      "  --keep-servers      leave the client's own servers on that Switchboard now provides",
      '  --dry-run           only show the changes',
      '  --yes               make the changes without asking',
      '  --json              print one JSON document',
      '',
      'Shows every change first, and keeps a copy of each file. switchboard disconnect undoes it.',
    ],
  },
  disconnect: {
    summary: 'undo what switchboard connect changed: switchboard disconnect [client…]',
    options: [
      '',
      'Usage: switchboard disconnect [client…] [options]',
      '',
      '  --dry-run           only show the changes',
      '  --yes               make the changes without asking',
      '  --json              print one JSON document',
      '',
      'Without names: all clients. Keeps everything that changed in their files since then.',
    ],
  },
  share: {
    summary: 'show which servers each client sees, or change it: switchboard share [server] [client…]',
    options: [
      '',
      'Usage: switchboard share                          shows the servers of each client',
      '       switchboard share <server> [client…]       lets these clients see a server; without names: all clients',
      '       switchboard share <server> [client…] --remove',
      '',
      '  --remove            hide the server from these clients',
      '  --json              print one JSON document',
      '',
      'A client that was never imported sees all servers. Running gateways follow at once.',
    ],
  },
  upgrade: {
    summary: 'let connected clients run this version of Switchboard from their next start on',
    options: [
      '',
      'Usage: npx switchboard@latest upgrade [--json]',
      '',
      'Copies this package into the data folder. Changes no client, and downloads nothing itself.',
    ],
  },
  uninstall: {
    summary: 'disconnect all clients, and remove everything that Switchboard wrote',
    options: [
      '',
      'Usage: switchboard uninstall [options]',
      '',
      '  --config            remove your global config, too',
      '  --dry-run           only show what would be removed',
      '  --yes               remove it without asking',
      '  --json              print one JSON document',
    ],
  },
  secret: {
    summary: 'store values of variables for clients that do not pass them on: switchboard secret set|list|remove',
    options: [
      '',
      'Usage: switchboard secret set <name>      asks for the value, or reads a line from stdin',
      '       switchboard secret list            shows the names and the servers that use them',
      '       switchboard secret remove <name>',
      '',
      '  --json              print one JSON document',
      '',
      "A server gets the value if its entry names the variable and the client's environment does not set it.",
      'Values are stored in a file that only you can read. No command shows them.',
    ],
  },
  '/mcp': {
    summary: 'show the live status of your servers: switchboard mcp status',
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
  },
  tour: {
    summary: 'show the gateway at work: two example servers behind one endpoint, one killed and restarted',
  },
};

/** The help of subcommands: `codex run`. Verbs of `mcp` have their own texts. */
const SUBCOMMAND_HELP: Readonly<Record<string, CommandHelp>> = {
  'codex run': {
    summary: 'run one task in a new session and print the result',
    options: [
      '',
      'Usage: switchboard codex run "task" [options]',
      '',
      '  --cwd <dir>              work in this folder (default: the current one)',
      '  --sandbox <mode>         read-only, workspace-write, danger-full-access',
      '  --model <name>',
      '  --approve ask|deny       ask: answer on the terminal what Codex asks (default on a terminal)',
      '                           deny: refuse everything that needs approval (default elsewhere)',
      '  --skip-git-repo-check    allow a folder that is not in a Git repository',
      '  --verbose                also print the log',
      '  --json                   print one JSON document instead of text; never prompts',
      '',
      'The result is on stdout, progress and the session id on stderr. Ctrl-C interrupts the turn.',
      'Exits with 0, 5 (the turn failed), 9 (something was denied) or 130 (interrupted).',
    ],
  },
  'codex say': {
    summary: 'send a message to a session and print the result',
    options: [
      '',
      'Usage: switchboard codex say <session> "message" [options]',
      '',
      '  --sandbox <mode>         read-only, workspace-write, danger-full-access',
      '  --model <name>',
      '  --approve ask|deny       as in codex run',
      '  --fork                   continue in a copy if another Codex has the session open',
      '  --verbose                also print the log',
      '  --json                   print one JSON document instead of text; never prompts',
    ],
  },
  'codex sessions': {
    summary: 'list the stored sessions of every client, most recent first',
    options: [
      '',
      'Usage: switchboard codex sessions [search] [options]',
      '',
      '  search                   part of the name or of the first prompt (case-sensitive)',
      '  --cwd <dir>              only sessions of this folder',
      '  --limit <n>              at most n sessions (default: 20)',
      '  --json                   print one JSON document instead of text',
    ],
  },
  'codex show': {
    summary: 'print the transcript of a session, without resuming it',
    options: ['', 'Usage: switchboard codex show <session> [--json]'],
  },
  'secret set': { summary: 'store a value', options: ['', 'Usage: switchboard secret set <name> [--json]'] },
  'secret list': {
    summary: 'show the names of the stored values and the servers that use them',
    options: ['', 'Usage: switchboard secret list [--json]'],
  },
  'secret remove': { summary: 'remove a value', options: ['', 'Usage: switchboard secret remove <name> [--json]'] },
};

/** Returns the help of a subcommand such as `codex run`; undefined if there is no such subcommand. */
export function subcommandHelp(name: string, subcommand: string): string | undefined {
  const key = `${name} ${subcommand}`;
  const help = Object.hasOwn(SUBCOMMAND_HELP, key) ? SUBCOMMAND_HELP[key] : undefined;
  return help === undefined ? undefined : helpText(key, help);
}

/** Returns the names of the subcommands of a command. */
export function subcommandsOf(name: string): readonly string[] {
  const keys = Object.keys(SUBCOMMAND_HELP).filter((key) => key.startsWith(`${name} `));
  return keys.map((key) => key.slice(name.length + 1));
}

/** Returns the list of commands. `shortForms` are the verbs of `switchboard mcp` that also work without `mcp`. */
export function overview(shortForms: readonly string[]): string {
  const lines = Object.entries(HELP).map(([name, { summary }]) => `  ${name.padEnd(12)}${summary}`);
  return [
    'Usage: switchboard <command>',
    '',
    ...lines,
    '',
    'Short for switchboard mcp …:',
    `  ${shortForms.join(', ')}`,
    '',
    '  --version   print the version',
    '  --help      print this; switchboard help <command> prints the options of a command',
  ].join('\n');
}

/** Returns the help of one command. */
export function commandHelp(name: CommandName): string {
  return helpText(name, HELP[name]);
}

function helpText(name: string, { summary, options = [] }: CommandHelp): string {
  return [`switchboard ${name}: ${summary}`, ...options].join('\n');
}
