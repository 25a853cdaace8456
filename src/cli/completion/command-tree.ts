import type { CommandName } from '../command-line.ts';
import { codexCommand } from './codex-commands.ts';
import { CONFIG_OPTIONS, type CommandSpec, HTTP_OPTIONS, OPTION } from './command-spec.ts';
import { mcpVerbs } from './mcp-verbs.ts';

/** In display order. */
export const longForms: Readonly<Record<CommandName, CommandSpec>> = {
  setup: {
    summary: 'find the servers that your clients use, import them, connect the clients and test everything',
    positionals: ['<client>…'],
    options: ['--dry-run', '--yes', '--undo', OPTION.json],
  },
  gateway: {
    summary: 'serve every configured MCP server behind one endpoint on stdin and stdout',
    options: [
      OPTION.config,
      '--only <servers>',
      '--client <client>',
      OPTION.view,
      '--prefix on|off',
      '--profile auto|none|codex|codex-legacy',
      '--lazy',
      ...HTTP_OPTIONS,
      '--trace <file>',
      '--check',
      OPTION.json,
      '--explain <server.tool>',
    ],
  },
  codex: codexCommand,
  warm: {
    summary: 'start every server once and cache what it offers, so that clients do not have to wait',
    options: [OPTION.config, '--only <servers>', OPTION.json],
  },
  mcp: {
    summary: 'the everyday commands and more, such as resources and prompts: switchboard mcp <command>',
    subcommands: mcpVerbs,
  },
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
  doctor: {
    summary:
      'check everything, start every server once, and show how to fix what is wrong: switchboard doctor [server…]',
    positionals: ['<server>…'],
    options: ['--fix', OPTION.timeout, OPTION.json],
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
    summary: 'make connected clients run this version of Switchboard the next time they start',
    options: [OPTION.json],
  },
  uninstall: {
    summary: 'disconnect all clients, and remove everything that Switchboard wrote',
    options: ['--config', '--dry-run', '--yes', OPTION.json],
  },
  secret: {
    summary: 'store values of environment variables, such as API keys',
    subcommands: {
      set: { summary: 'store a value', positionals: ['<name>'] },
      list: { summary: 'show the names of the stored values and the servers that use them' },
      remove: { summary: 'remove a value', positionals: ['<name>'] },
    },
    options: [OPTION.json],
  },
  token: {
    summary: 'let clients connect over HTTP: switchboard token create|list|revoke',
    subcommands: {
      create: {
        summary: 'create a token and show it once',
        positionals: ['<name>'],
        options: ['--view <view>', '--role use|read|admin', '--expires <duration>', '--folders'],
      },
      list: { summary: 'show the tokens and what they permit' },
      revoke: { summary: 'end the use of a token at once', positionals: ['<token>'] },
    },
    options: [OPTION.json],
  },
  '/mcp': { ...mcpVerbs.status, summary: 'show the live status of your servers: switchboard mcp status' },
  completion: {
    summary: 'print a script that lets your shell complete commands, servers and tools',
    positionals: ['bash|zsh|fish'],
  },
  tour: { summary: 'demonstrate the gateway: two example servers behind one endpoint, one killed and restarted' },
};

const { add, list, get, set, unset, rename, remove, enable, disable } = mcpVerbs;
const { test, login, logout, call, tools, status } = mcpVerbs;

/** Verbs of `mcp` that also work without `mcp`. */
export const shortForms = {
  ...{ add, list, get, set, unset, rename, remove, enable, disable },
  ...{ test, login, logout, call, tools, status, ps: status },
};

/**
 * The whole command line of `switchboard` as data, for help and completion: loading the commands themselves would make
 * completion noticeably slow. A test compares it with every `--help`.
 */
export const commandTree: CommandSpec = {
  summary: '',
  subcommands: { ...longForms, ...shortForms },
  options: ['--version', '--help'],
};
