import type { VerbName } from '../mcp/verbs.ts';
import { CONFIG_OPTIONS, type CommandSpec, OPTION } from './command-spec.ts';

/** Options of verbs that change an entry. */
const CHANGE_OPTIONS = [OPTION.scope, '--dry-run', OPTION.json];
const SERVER_OPTIONS = [OPTION.direct, OPTION.timeout, ...CONFIG_OPTIONS];

/** The verbs of `switchboard mcp`, in display order. */
export const mcpVerbs = {
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
    options: [OPTION.anyScope, OPTION.view, ...CONFIG_OPTIONS],
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
    options: ['--server <server>', OPTION.view, '--verbose', ...SERVER_OPTIONS],
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
} satisfies Readonly<Record<VerbName, CommandSpec>>;
