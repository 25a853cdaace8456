import type { VerbName } from './verbs.ts';

const SCOPE = '  --scope project|global   which config is changed (default: project)';
const CONFIG_LINE = '  --config <file>          read only this file';
const JSON_LINE = '  --json                   one JSON document instead of text';

/** Options of verbs that query a server. */
const SERVER_OPTIONS = [
  '  --direct                 by a connection of its own, not through a running gateway',
  "  --timeout <seconds>      how long it may take to become ready, and to answer (lists: its entry's, else 10)",
  CONFIG_LINE,
  JSON_LINE,
];

/** Option of verbs that query all servers. */
const VERBOSE_LINE = '  --verbose                name also those that are switched off';

interface VerbHelp {
  readonly summary: string;
  readonly help: readonly string[];
}

/** In display order. */
const HELP: Readonly<Record<VerbName, VerbHelp>> = {
  add: {
    summary: 'add a server to the config',
    help: [
      'Usage: switchboard mcp add <id> <url> [options]',
      '       switchboard mcp add <id> [options] -- <command> [args…]',
      '',
      SCOPE,
      '  --transport http|stdio   told by --url or --command otherwise',
      '  --enabled true|false     off: it is not started (default: on)',
      '  --request-timeout-ms <n> how long a call may take',
      '  --allow-tool <name>      offer only these tools; may be repeated',
      '  --deny-tool <name>       never offer these; may be repeated',
      '  --replace                overwrite the entry of this id',
      '  --dry-run                show what would be written, and write nothing',
      JSON_LINE,
      '',
      'A server with a URL:',
      '  --url <address>',
      '  --header <name=value>    sent with every request; may be repeated',
      '  --header-env <name=VAR>  the same, from a variable of your environment',
      '  --bearer-token <token>   Authorization: Bearer <token>',
      '  --bearer-token-env-var <VAR>',
      '  --oauth-authorization-url, --oauth-token-url, --oauth-registration-url <address>',
      '  --oauth-client-id <id>, --oauth-client-secret <secret>, --oauth-client-secret-env <VAR>',
      '  --oauth-scope <scope>',
      '',
      'A server that is a program:',
      '  --command <program>      not a command line: no shell is involved',
      '  --arg <argument>         may be repeated',
      '  --cwd <folder>',
      '  --env <NAME=value>       a variable it gets; may be repeated',
      '',
      'Secrets: --header NAME, --env NAME, --bearer-token and --oauth-client-secret without a value ask for it;',
      'NAME=- or - in the place of the value reads a line of stdin.',
    ],
  },
  list: {
    summary: 'show the configured servers, without connecting to them',
    help: [
      'Usage: switchboard mcp list [options]',
      '',
      '  --scope effective|project|global   what counts (default), or one config alone',
      CONFIG_LINE,
      JSON_LINE,
    ],
  },
  get: {
    summary: 'show one server: every setting with its file and line, and the entries that it overrides',
    help: ['Usage: switchboard mcp get <id> [options]', '', CONFIG_LINE, JSON_LINE],
  },
  remove: {
    summary: 'take a server out of the config',
    help: ['Usage: switchboard mcp remove <id> [options]', '', SCOPE, JSON_LINE],
  },
  enable: {
    summary: 'switch a server on',
    help: ['Usage: switchboard mcp enable <id> [options]', '', SCOPE, JSON_LINE],
  },
  disable: {
    summary: 'switch a server off, here or everywhere',
    help: [
      'Usage: switchboard mcp disable <id> [options]',
      '',
      SCOPE,
      JSON_LINE,
      '',
      'A server of another file is switched off for this project, by an entry in .switchboard/config.json.',
    ],
  },
  test: {
    summary: 'connect to a server and show each step',
    help: [
      'Usage: switchboard mcp test <id> [options]',
      '       switchboard mcp test --all [options]',
      '',
      '  --scope effective|project|global   which entry is meant (default: the one that counts)',
      '  --as <client>            look at the schemas of its tools for: codex (default), codex-legacy, none',
      '  --timeout <seconds>      how long it may take to become ready',
      '  --verbose                all last lines of its stderr, traces too',
      CONFIG_LINE,
      JSON_LINE,
    ],
  },
  login: {
    summary: 'sign in to a server',
    help: [
      'Usage: switchboard mcp login <id> [options]',
      '',
      '  --no-browser             print the address instead of opening it',
      '  --device                 sign in with a code on another device, where the server offers that',
      '  --scopes <a,b>           ask for these',
      '  --callback-port <n>      where the browser comes back to',
      '  --timeout <seconds>      how long to wait for you (default: 300)',
      '  --wait                   wait without a terminal too',
      CONFIG_LINE,
      JSON_LINE,
    ],
  },
  logout: {
    summary: 'forget the sign-in to a server, and revoke it',
    help: [
      'Usage: switchboard mcp logout <id> [options]',
      '',
      '  --no-revoke              forget it here, and leave it valid there',
      CONFIG_LINE,
      JSON_LINE,
    ],
  },
  status: {
    summary: 'show the live status of every running gateway, Codex server and host',
    help: [
      'Usage: switchboard mcp status [id] [options]',
      '',
      '  --watch                  look every second and show what changed; q or Ctrl-C ends it',
      '  --count <n>              with --watch: end after it was shown n times',
      '  --config <file>          if nothing is running, show the servers of this file only',
      '  --json                   one JSON document instead of text; with --watch one per line',
      '',
      'calls: answered+pending. p50: median time of the latest calls.',
    ],
  },
  tools: {
    summary: 'show the tools of all servers, or those that match',
    help: [
      'Usage: switchboard mcp tools [pattern] [options]',
      '',
      '  pattern                  a part of server.tool or of the title; with * or ? the whole of server.tool, tool or title',
      '                           With a pattern, cached tools are used if there are any; --direct always asks the servers.',
      '  --server <id>            of this server alone',
      VERBOSE_LINE,
      ...SERVER_OPTIONS,
    ],
  },
  tool: {
    summary: 'show one tool: its schema as its server and as a client has it',
    help: [
      'Usage: switchboard mcp tool <server>.<tool> [options]',
      '',
      '  --as <client>            show its schema for: codex (default), codex-legacy, none',
      ...SERVER_OPTIONS,
    ],
  },
  call: {
    summary: 'call a tool',
    help: [
      'Usage: switchboard mcp call <server>.<tool> [key=value…] [options]',
      '',
      "  key=value                typed by the tool's schema; repeat a key for a list, key.member=value for an object",
      '  key:=JSON                as JSON; a value @file or @- is read from there',
      '  --args JSON|@file|-      all arguments as one object; key=value goes over it',
      "  --timeout <seconds>      how long the tool may say nothing (default: its entry's, else 30); to start, at least 10",
      '  --output <dir>           save images and other files there',
      '  --raw                    print text unfiltered, including terminal control sequences',
      '  --direct                 by a connection of its own, not through a running gateway',
      '  --verbose                progress as lines, also without a terminal',
      CONFIG_LINE,
      `${JSON_LINE}; nobody is asked anything`,
    ],
  },
  resources: {
    summary: 'list and read resources',
    help: [
      'Usage: switchboard mcp resources list [server] [options]',
      '       switchboard mcp resources templates [server] [options]',
      '       switchboard mcp resources read [server] <uri> [options]',
      '',
      '  --output <file>          write it to this new file, whatever it is (read)',
      '  --raw                    print text unfiltered, including terminal control sequences (read)',
      VERBOSE_LINE,
      ...SERVER_OPTIONS,
    ],
  },
  prompts: {
    summary: 'list prompts, and get one with its arguments filled in',
    help: [
      'Usage: switchboard mcp prompts list [server] [options]',
      '       switchboard mcp prompts get <server>.<prompt> [key=value…] [options]',
      '',
      VERBOSE_LINE,
      ...SERVER_OPTIONS,
    ],
  },
};

/** Returns the list of verbs. */
export function overview(): string {
  const lines = Object.entries(HELP).map(([name, { summary }]) => `  ${name.padEnd(10)}${summary}`);
  const more = 'Options of each: switchboard mcp <verb> --help. Files and keys: docs/config.md';
  return ['Usage: switchboard mcp <verb>', '', ...lines, '', more].join('\n');
}

/** Returns the help of one verb. */
export function verbHelp(name: VerbName): string {
  const { summary, help } = HELP[name];
  return [`switchboard mcp ${name}: ${summary}`, '', ...help].join('\n');
}
