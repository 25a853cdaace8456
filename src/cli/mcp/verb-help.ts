import { mcpVerbs } from '../completion/mcp-verbs.ts';
import type { VerbName } from './verbs.ts';

const SCOPE = '  --scope project|global   which config to change (default: project)';
const SCOPE_OF_ENTRY = '  --scope project|global   which config to change (default: the one that has the server)';
const SCOPE_IN_EFFECT = '  --scope project|global   which config to change (default: the one that takes effect)';
const DRY_RUN = '  --dry-run                show what would change, without writing it';
const CONFIG_LINE = '  --config <file>          read only this file';
const JSON_LINE = '  --json                   print one JSON document instead of text';

/** Options of verbs that query a server. */
const SERVER_OPTIONS = [
  '  --direct                 use a separate connection, not a running gateway',
  '  --timeout <seconds>      limit for the start and for each answer (lists: from its entry, else 10)',
  CONFIG_LINE,
  JSON_LINE,
];

const VIEW_LINE = '  --view <name>            show only what this view of the config contains';

/** Option of verbs that query all servers. */
const VERBOSE_LINE = '  --verbose                also show disabled servers';

/** The help of each verb below its summary, which is in the command tree. */
const LINES: Readonly<Record<VerbName, readonly string[]>> = {
  add: [
    'Usage: switchboard mcp add <id> <url> [options]',
    '       switchboard mcp add <id> [options] -- <command> [args…]',
    '',
    SCOPE,
    '  --transport http|stdio   default: from --url or --command',
    '  --enabled true|false     false: do not start it (default: true)',
    '  --request-timeout-ms <n> how long a call may take',
    '  --allow-tool <name>      offer only these tools; may be repeated',
    '  --deny-tool <name>       never offer these; may be repeated',
    '  --replace                overwrite the existing entry with this id',
    '  --dry-run                show what would be written, without writing it',
    JSON_LINE,
    '',
    'HTTP servers:',
    '  --url <url>',
    '  --header <name=value>    sent with every request; may be repeated',
    '  --header-env <name=VAR>  the same, from an environment variable',
    '  --bearer-token <token>   Authorization: Bearer <token>',
    '  --bearer-token-env-var <VAR>',
    '  --oauth-authorization-url, --oauth-token-url, --oauth-registration-url <url>',
    '  --oauth-client-id <id>, --oauth-client-secret <secret>, --oauth-client-secret-env <VAR>',
    '  --oauth-scope <scope>',
    '',
    'Stdio servers:',
    '  --command <program>      the program only, not a command line: no shell is used',
    '  --arg <argument>         may be repeated',
    '  --cwd <folder>',
    '  --env <NAME=value>       set a variable for it; may be repeated',
    '',
    'Secrets: without a value, --header NAME, --env NAME, --bearer-token, --oauth-client-secret prompt;',
    'NAME=- or - as the value reads a line from stdin.',
  ],
  list: [
    'Usage: switchboard mcp list [options]',
    '',
    '  --scope effective|project|global   the entries in effect (default), or one config',
    VIEW_LINE,
    CONFIG_LINE,
    JSON_LINE,
  ],
  get: ['Usage: switchboard mcp get <id> [options]', '', CONFIG_LINE, JSON_LINE],
  set: [
    'Usage: switchboard mcp set <server> key=value… [options]',
    '',
    '  key=value                any key of docs/config.md, typed by the key: url=…, request_timeout_ms=60000,',
    '                           enabled=false. Members with a dot: env.TOKEN=…, headers.X-Team=…, oauth.scope=…',
    '  args=a args=b            set a list; args+=x adds to it',
    '  key:=JSON                a value as JSON: args:=["a","b"]',
    SCOPE_IN_EFFECT,
    DRY_RUN,
    JSON_LINE,
    '',
    'Secrets: env.NAME or headers.NAME without a value prompts; env.NAME=- reads a line from stdin.',
    'A change that would make the entry invalid is refused.',
  ],
  unset: [
    'Usage: switchboard mcp unset <server> key… [options]',
    '',
    '  key                      as in mcp set: cwd, env.TOKEN, oauth',
    SCOPE_IN_EFFECT,
    DRY_RUN,
    JSON_LINE,
  ],
  rename: [
    'Usage: switchboard mcp rename <server> <new name> [options]',
    '',
    SCOPE_IN_EFFECT,
    DRY_RUN,
    JSON_LINE,
    '',
    'The entry keeps its position and comments. Clients of the gateway see its tools under the new name.',
  ],
  remove: ['Usage: switchboard mcp remove <id> [options]', '', SCOPE_OF_ENTRY, DRY_RUN, JSON_LINE],
  enable: [
    'Usage: switchboard mcp enable <server>[.<tool>] [options]',
    '',
    SCOPE_OF_ENTRY,
    DRY_RUN,
    JSON_LINE,
    '',
    'A tool is removed from disabled_tools and, if the server has enabled_tools, added there.',
  ],
  disable: [
    'Usage: switchboard mcp disable <server>[.<tool>] [options]',
    '',
    SCOPE_OF_ENTRY,
    DRY_RUN,
    JSON_LINE,
    '',
    'A tool is added to disabled_tools of its server, and clients no longer see it.',
    'A server in the global config is disabled for all projects. With --scope project, and for a server in a file of',
    'another program, an entry in .switchboard/config.json disables it for this project only.',
  ],
  test: [
    'Usage: switchboard mcp test <id>|<url> [options]',
    '       switchboard mcp test [options] -- <command> [args…]',
    '       switchboard mcp test --all [options]',
    '',
    '  --scope effective|project|global   which entry to test (default: the one in effect)',
    '  --as <client>            check its tool schemas for: codex (default), codex-legacy, none',
    '  --timeout <seconds>      how long it may take to become ready',
    '  --verbose                show all captured stderr lines, including stack traces',
    CONFIG_LINE,
    JSON_LINE,
  ],
  login: [
    'Usage: switchboard mcp login <id> [options]',
    '',
    '  --no-browser             print the URL instead of opening it',
    '  --device                 sign in with a code on another device, if the server supports it',
    '  --scopes <a,b>           request these scopes',
    '  --callback-port <n>      port that the browser is redirected to',
    '  --timeout <seconds>      how long to wait for the sign-in (default: 300)',
    '  --wait                   wait even without a terminal',
    CONFIG_LINE,
    JSON_LINE,
  ],
  logout: [
    'Usage: switchboard mcp logout <id> [options]',
    '',
    '  --no-revoke              remove the tokens here, but do not revoke them',
    CONFIG_LINE,
    JSON_LINE,
  ],
  status: [
    'Usage: switchboard mcp status [id] [options]; short: switchboard ps',
    '',
    '  --watch                  refresh every second and show changes; q or Ctrl-C exits',
    '  --count <n>              with --watch: exit after n updates',
    '  --config <file>          if nothing is running, show the servers of this file only',
    '  --json                   print one JSON document instead of text; with --watch one per line',
    '',
    'calls: answered+pending. p50: median time of the latest calls.',
  ],
  tools: [
    'Usage: switchboard mcp tools [pattern] [options]',
    '       switchboard mcp tools <url> [pattern] [options]       a server that is not configured',
    '       switchboard mcp tools [pattern] [options] -- <command> [args…]',
    '',
    '  pattern                  part of server.tool or title; * or ?: whole server.tool, tool or title',
    '                           With a pattern, cached tools are used; --direct always queries the servers.',
    '  --server <id>            show only the tools of this server',
    VIEW_LINE,
    VERBOSE_LINE,
    ...SERVER_OPTIONS,
  ],
  tool: [
    'Usage: switchboard mcp tool <server>.<tool> [options]',
    '',
    '  --as <client>            show its schema for: codex (default), codex-legacy, none',
    ...SERVER_OPTIONS,
  ],
  call: [
    'Usage: switchboard mcp call <server>.<tool> [key=value…] [options]',
    '       switchboard mcp call <url> <tool> [key=value…]        a server that is not configured',
    '       switchboard mcp call <tool> [key=value…] -- <command> [args…]',
    '',
    '  key=value, key:value     typed by the schema; repeat a key for a list; a.b=value for an object',
    '  key:=JSON                a value as JSON; @file or @- reads the value from a file or stdin',
    '  --args JSON|@file|-      all arguments as one object; key=value overrides it',
    '  --timeout <seconds>      limit without progress (default: from entry, else 30); start: at least 10',
    '  --output <dir>           save images and other files in this folder',
    '  --plain                  print only the payload: the text, or the structured content as JSON',
    '  --raw                    print text unfiltered, including terminal control sequences',
    '  --direct                 use a separate connection, not a running gateway',
    '  --verbose                print progress as lines, even without a terminal, and all notifications',
    CONFIG_LINE,
    `${JSON_LINE}; never prompts`,
  ],
  resources: [
    'Usage: switchboard mcp resources list [server|url] [options]',
    '       switchboard mcp resources templates [server|url] [options]',
    '       switchboard mcp resources read [server|url] <uri> [options]',
    'Each also takes -- <command> [args…], for a server that is not configured.',
    '',
    '  --output <file>          write the contents to this new file (read)',
    '  --raw                    print text unfiltered, including terminal control sequences (read)',
    VERBOSE_LINE,
    ...SERVER_OPTIONS,
  ],
  prompts: [
    'Usage: switchboard mcp prompts list [server|url] [options]',
    '       switchboard mcp prompts list [options] -- <command> [args…]',
    '       switchboard mcp prompts get <server>.<prompt> [key=value…] [options]',
    '',
    VERBOSE_LINE,
    ...SERVER_OPTIONS,
  ],
};

/** Returns the list of verbs. */
export function overview(): string {
  const lines = Object.entries(mcpVerbs).map(([name, { summary }]) => `  ${name.padEnd(10)}${summary}`);
  const more = 'Options of a verb: switchboard mcp <verb> --help. Files and keys: docs/config.md';
  return ['Usage: switchboard mcp <verb>', '', ...lines, '', more].join('\n');
}

/** Returns the help of one verb. */
export function verbHelp(name: VerbName): string {
  return [`switchboard mcp ${name}: ${mcpVerbs[name].summary}`, '', ...LINES[name]].join('\n');
}
