/**
 * The whole command line of `switchboard` as data: loading the commands themselves would make completion noticeably
 * slow. A test compares it with every `--help`.
 */
export interface CommandSpec {
  readonly summary: string;
  /** Subcommands. */
  readonly subcommands?: Readonly<Record<string, CommandSpec>>;
  /** Kinds of the positional arguments in order; a final `…` allows any number, `a|b` lists fixed values. */
  readonly positionals?: readonly string[];
  /** `--name` alone is a flag; otherwise the kind of its value follows; `…` marks it as repeatable. */
  readonly options?: readonly string[];
  /** The options of its parent do not apply. */
  readonly isIndependent?: true;
}

/** Options of several commands. */
const OPTION = {
  config: '--config <file>',
  json: '--json',
  scope: '--scope project|global',
  anyScope: '--scope effective|project|global',
  direct: '--direct',
  timeout: '--timeout <seconds>',
};

/** Options of a turn of Codex. */
const TURN_OPTIONS = ['--sandbox read-only|workspace-write|danger-full-access', '--model <name>', '--approve ask|deny'];

const CONFIG_OPTIONS = [OPTION.config, OPTION.json];
/** Options of verbs that change an entry. */
const CHANGE_OPTIONS = [OPTION.scope, '--dry-run', OPTION.json];
const SERVER_OPTIONS = [OPTION.direct, OPTION.timeout, ...CONFIG_OPTIONS];

const verbs = {
  add: {
    summary: 'add a server to the config',
    positionals: ['<new>', '<url>'],
    options: [
      OPTION.scope,
      '--transport http|stdio',
      '--enabled true|false',
      '--request-timeout-ms <n>',
      '--allow-tool <name>…',
      '--deny-tool <name>…',
      '--replace',
      '--dry-run',
      OPTION.json,
      '--url <url>',
      '--header <name=value>…',
      '--header-env <name=VAR>…',
      '--bearer-token <token>',
      '--bearer-token-env-var <VAR>',
      '--oauth-authorization-url <url>',
      '--oauth-token-url <url>',
      '--oauth-registration-url <url>',
      '--oauth-client-id <id>',
      '--oauth-client-secret <secret>',
      '--oauth-client-secret-env <VAR>',
      '--oauth-scope <scope>',
      '--command <program>',
      '--arg <argument>…',
      '--cwd <folder>',
      '--env <NAME=value>…',
    ],
  },
  list: {
    summary: 'show the configured servers, without connecting to them',
    options: [OPTION.anyScope, ...CONFIG_OPTIONS],
  },
  get: {
    summary: 'show one server: every setting with its file and line, and the entries that it overrides',
    positionals: ['<server>'],
    options: CONFIG_OPTIONS,
  },
  set: {
    summary: 'change settings of a server',
    positionals: ['<server>', '<setting=value>…'],
    options: CHANGE_OPTIONS,
  },
  unset: {
    summary: 'remove settings of a server',
    positionals: ['<server>', '<setting>…'],
    options: CHANGE_OPTIONS,
  },
  rename: {
    summary: 'rename a server; its sign-in, pinned tools and clients follow',
    positionals: ['<server>', '<new>'],
    options: CHANGE_OPTIONS,
  },
  remove: { summary: 'remove a server from the config', positionals: ['<server>'], options: CHANGE_OPTIONS },
  enable: {
    summary: 'enable a server, or one of its tools',
    positionals: ['<server[.tool]>'],
    options: CHANGE_OPTIONS,
  },
  disable: {
    summary: 'disable a server, here or everywhere, or one of its tools',
    positionals: ['<server[.tool]>'],
    options: CHANGE_OPTIONS,
  },
  test: {
    summary: 'connect to a server and show each step',
    positionals: ['<server>'],
    options: ['--all', OPTION.anyScope, '--as codex|codex-legacy|none', OPTION.timeout, '--verbose', ...CONFIG_OPTIONS],
  },
  login: {
    summary: 'sign in to a server',
    positionals: ['<server>'],
    options: [
      '--no-browser',
      '--device',
      '--scopes <a,b>',
      '--callback-port <n>',
      OPTION.timeout,
      '--wait',
      ...CONFIG_OPTIONS,
    ],
  },
  logout: {
    summary: 'sign out of a server and revoke its tokens',
    positionals: ['<server>'],
    options: ['--no-revoke', ...CONFIG_OPTIONS],
  },
  status: {
    summary: 'show the live status of every running gateway, Codex server and host',
    positionals: ['<server>'],
    options: ['--watch', '--count <n>', ...CONFIG_OPTIONS],
  },
  tools: {
    summary: 'show the tools of all servers, or those that match',
    positionals: ['<server>'],
    options: ['--server <server>', '--verbose', ...SERVER_OPTIONS],
  },
  tool: {
    summary: 'show one tool: its schema as the server sends it and as a client sees it',
    positionals: ['<server.tool>'],
    options: ['--as codex|codex-legacy|none', ...SERVER_OPTIONS],
  },
  call: {
    summary: 'call a tool',
    positionals: ['<server.tool>', '<key=value>…'],
    options: ['--args <json>', '--output <folder>', '--plain', '--raw', '--verbose', ...SERVER_OPTIONS],
  },
  resources: {
    summary: 'list and read resources',
    subcommands: {
      list: { summary: 'the resources of all servers, or of one', positionals: ['<server>'] },
      templates: { summary: 'the templates of all servers, or of one', positionals: ['<server>'] },
      read: {
        summary: 'the contents of a resource',
        positionals: ['<server>', '<uri>'],
        options: ['--output <file>', '--raw'],
      },
    },
    options: ['--verbose', ...SERVER_OPTIONS],
  },
  prompts: {
    summary: 'list prompts, and get one with its arguments filled in',
    subcommands: {
      list: { summary: 'the prompts of all servers, or of one', positionals: ['<server>'] },
      get: { summary: 'one prompt with its arguments', positionals: ['<server.>'] },
    },
    options: ['--verbose', ...SERVER_OPTIONS],
  },
} satisfies Readonly<Record<string, CommandSpec>>;

export const longForms: Readonly<Record<string, CommandSpec>> = {
  setup: {
    summary: 'find the servers of your clients, import them, connect the clients and test everything',
    positionals: ['<client>…'],
    options: ['--dry-run', '--yes', '--undo', OPTION.json],
  },
  gateway: {
    summary: 'serve every configured MCP server behind one endpoint on stdin and stdout',
    options: [
      OPTION.config,
      '--only <servers>',
      '--client <client>',
      '--prefix on|off',
      '--profile auto|none|codex|codex-legacy',
      '--lazy',
      '--trace <file>',
      '--check',
      OPTION.json,
      '--explain <server.tool>',
    ],
  },
  codex: {
    summary: 'give Codex a task, or serve it as MCP tools, or as a drop-in for codex mcp-server',
    subcommands: {
      run: {
        summary: 'run one task in a new session and print the result',
        positionals: ['<task>'],
        options: ['--cwd <dir>', ...TURN_OPTIONS, '--skip-git-repo-check', '--verbose', OPTION.json],
        isIndependent: true,
      },
      say: {
        summary: 'send a message to a session and print the result',
        positionals: ['<session>', '<message>'],
        options: [...TURN_OPTIONS, '--fork', '--verbose', OPTION.json],
        isIndependent: true,
      },
      sessions: {
        summary: 'list the stored sessions of every client, most recent first',
        positionals: ['<search>'],
        options: ['--cwd <dir>', '--limit <n>', OPTION.json],
        isIndependent: true,
      },
      show: {
        summary: 'print the transcript of a session, without resuming it',
        positionals: ['<session>'],
        options: [OPTION.json],
        isIndependent: true,
      },
      'mcp-server': { summary: 'the server with --tools compat' },
    },
    options: [
      '--tools core|full|compat|all',
      '--engine auto|app-server|exec',
      '--max-sandbox read-only|workspace-write|danger-full-access',
      '--allow-root <dir>…',
      '--approvals any|user|none',
      '--allow-dangerous',
      '--max-wait <seconds>',
      '--no-events',
    ],
  },
  warm: {
    summary: 'start every server once and cache what it offers, so that no client waits for it',
    options: [OPTION.config, '--only <servers>', OPTION.json],
  },
  mcp: { summary: 'add, watch, call, test and sign in to MCP servers: switchboard mcp <verb>', subcommands: verbs },
  import: {
    summary: 'import the servers of Codex, Claude, Cursor, VS Code and other clients: switchboard import [names…]',
    positionals: ['<name>…'],
    options: [
      '--from codex|claude|claude-desktop|cursor|vscode|gemini|windsurf|zed|opencode|copilot',
      '--all',
      '--new',
      '--dry-run',
      OPTION.scope,
      '--replace',
      '--yes',
      OPTION.json,
    ],
  },
  trust: {
    summary: 'trust the servers of a project, or the quarantined tools of a server: switchboard trust [dir|server]',
    positionals: ['<server>'],
    options: [...CONFIG_OPTIONS, '--yes'],
  },
  untrust: {
    summary: 'stop trusting the servers of a project: switchboard untrust [dir]',
    positionals: ['<dir>'],
    options: [OPTION.json],
  },
  secret: {
    summary: 'store values of variables for clients that do not pass them on: switchboard secret set|list|remove',
    subcommands: {
      set: { summary: 'store a value', positionals: ['<name>'] },
      list: { summary: 'show the names and the servers that use them' },
      remove: { summary: 'remove a value', positionals: ['<name>'] },
    },
    options: [OPTION.json],
  },
  connect: {
    summary: 'let Codex, Claude, Cursor and other clients use your servers: switchboard connect [client…]',
    positionals: ['<client>…'],
    options: ['--all-servers', '--codex', '--keep-servers', '--dry-run', '--yes', OPTION.json],
  },
  disconnect: {
    summary: 'undo what switchboard connect changed: switchboard disconnect [client…]',
    positionals: ['<client>…'],
    options: ['--dry-run', '--yes', OPTION.json],
  },
  share: {
    summary: 'show which servers each client sees, or change it: switchboard share [server] [client…]',
    positionals: ['<server>', '<client>…'],
    options: ['--remove', OPTION.json],
  },
  upgrade: {
    summary: 'let connected clients run this version of Switchboard from their next start on',
    options: [OPTION.json],
  },
  uninstall: {
    summary: 'disconnect all clients, and remove everything that Switchboard wrote',
    options: ['--config', '--dry-run', '--yes', OPTION.json],
  },
  '/mcp': { ...verbs.status, summary: 'show the live status of your servers: switchboard mcp status' },
  completion: {
    summary: 'print a script that lets your shell complete commands, servers and tools',
    positionals: ['bash|zsh|fish'],
  },
  tour: { summary: 'show the gateway at work: two example servers behind one endpoint, one killed and restarted' },
};

const { add, list, get, set, unset, rename, remove, enable, disable } = verbs;
const { test, login, call, tools, status } = verbs;

/** Verbs of `mcp` that also work without `mcp`. */
export const shortForms = {
  ...{ add, list, get, set, unset, rename, remove, enable, disable },
  ...{ test, login, call, tools, status, ps: status },
};

export const commandTree: CommandSpec = {
  summary: '',
  subcommands: { ...longForms, ...shortForms },
  options: ['--version', '--help'],
};
