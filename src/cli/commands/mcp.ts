import { existsSync } from 'node:fs';
import { AppError } from '../../base/errors.ts';
import { resolvePath } from '../../config/folders.ts';
import { toError } from '../../config/problem.ts';
import { visibleWord } from '../../config/visible-text.ts';
import { nearestNames } from '../../gateway/suggest.ts';
import type { CommandContext } from '../main.ts';

interface Verb {
  readonly summary: string;
  readonly help: readonly string[];
  /** It only reads the config, and takes `--config <file>` like the gateway. */
  readonly reads?: boolean;
  /** Loaded when it is called: `list` must not pay for signing in. */
  run(args: readonly string[], context: CommandContext): Promise<void>;
}

/** `switchboard mcp <verb>`: the servers of the config, one command for each thing to do with them. */
export async function mcp([name, ...args]: readonly string[], context: CommandContext): Promise<void> {
  if (name === undefined || name === 'help' || isHelp(name)) return context.output.answer(overview());
  const verb = Object.hasOwn(verbs, name) ? verbs[name] : undefined;
  if (verb === undefined) throw unknownVerb(name);
  const end = args.indexOf('--');
  const own = end === -1 ? args : args.slice(0, end);
  const asksForHelp = own.some((arg, index) => isHelp(arg) && own[index - 1] !== '--arg');
  if (asksForHelp) return context.output.answer(helpOf(name, verb));
  if (verb.reads === true) return verb.run(...takeConfig(args, context));
  await verb.run(args, context);
}

/** `--config <file>` is what a variable says for all commands: the one file that is read. */
function takeConfig(args: readonly string[], context: CommandContext): [readonly string[], CommandContext] {
  const isConfig = (arg: string) => arg === '--config' || arg.startsWith('--config=');
  const at = args.findIndex(isConfig);
  if (at === -1) return [args, context];
  const isInline = args[at] !== '--config';
  const file = isInline ? args[at]?.slice('--config='.length) : args[at + 1];
  if (file === undefined || file === '' || file.startsWith('--'))
    throw new AppError('USAGE', '--config needs the path of a file.');
  const rest = args.toSpliced(at, isInline ? 1 : 2);
  if (rest.some(isConfig)) throw new AppError('USAGE', '--config may be given once only.');
  const path = resolvePath(file, { ...context, platform: process.platform });
  if (!existsSync(path))
    throw toError({ file: path, line: 0, message: 'This file does not exist; --config names it.' });
  return [rest, { ...context, env: { ...context.env, CODEX_MCP_WRAPPER_CONFIG: file } }];
}

const SCOPE = '  --scope project|global   which config is changed (default: project)';
const CONFIG_LINE = '  --config <file>          read this file alone';
const JSON_LINE = '  --json                   one JSON document instead of text';

const verbs: Readonly<Record<string, Verb>> = {
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
    run: async (args, context) => (await import('./mcp-add.ts')).mcpAdd(args, context),
  },
  list: {
    summary: 'show the configured servers, without connecting to them',
    reads: true,
    help: [
      'Usage: switchboard mcp list [options]',
      '',
      '  --scope effective|project|global   what counts (default), or one config alone',
      CONFIG_LINE,
      JSON_LINE,
    ],
    run: async (args, context) => (await import('./mcp-list.ts')).mcpList(args, context),
  },
  get: {
    summary: 'show one server: every setting, its file and line, and what it takes the place of',
    reads: true,
    help: ['Usage: switchboard mcp get <id> [options]', '', CONFIG_LINE, JSON_LINE],
    run: async (args, context) => (await import('./mcp-get.ts')).mcpGet(args, context),
  },
  remove: {
    summary: 'take a server out of the config',
    help: ['Usage: switchboard mcp remove <id> [options]', '', SCOPE, JSON_LINE],
    run: async (args, context) => (await import('./mcp-remove.ts')).mcpRemove(args, context),
  },
  enable: {
    summary: 'switch a server on',
    help: ['Usage: switchboard mcp enable <id> [options]', '', SCOPE, JSON_LINE],
    run: async (args, context) => (await import('./mcp-switch.ts')).mcpEnable(args, context),
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
    run: async (args, context) => (await import('./mcp-switch.ts')).mcpDisable(args, context),
  },
  test: {
    summary: 'connect to a server and show each step',
    reads: true,
    help: [
      'Usage: switchboard mcp test <id> [options]',
      '       switchboard mcp test --all [options]',
      '',
      '  --scope effective|project|global   which entry is meant (default: the one that counts)',
      '  --as <client>            look at the schemas of its tools for: codex (default), codex-legacy, none',
      '  --timeout <seconds>      how long it may take to become ready',
      CONFIG_LINE,
      JSON_LINE,
    ],
    run: async (args, context) => (await import('./mcp-test.ts')).mcpTest(args, context),
  },
  login: {
    summary: 'sign in to a server',
    reads: true,
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
    run: async (args, context) => (await import('./mcp-login.ts')).mcpLogin(args, context),
  },
  logout: {
    summary: 'forget the sign-in to a server, and revoke it',
    reads: true,
    help: [
      'Usage: switchboard mcp logout <id> [options]',
      '',
      '  --no-revoke              forget it here, and leave it valid there',
      CONFIG_LINE,
      JSON_LINE,
    ],
    run: async (args, context) => (await import('./mcp-logout.ts')).mcpLogout(args, context),
  },
  status: {
    summary: 'show how the servers of everything that runs here are, now',
    reads: true,
    help: [],
    run: async (args, context) => (await import('./mcp-status.ts')).mcpStatus(args, context),
  },
  tools: {
    summary: 'show the tools of all servers, or those that match',
    reads: true,
    help: [],
    run: async (args, context) => (await import('./mcp-tools.ts')).mcpTools(args, context),
  },
  tool: {
    summary: 'show one tool: its schema as its server and as a client has it',
    reads: true,
    help: [],
    run: async (args, context) => (await import('./mcp-tool.ts')).mcpTool(args, context),
  },
  call: {
    summary: 'call a tool',
    reads: true,
    help: [],
    run: async (args, context) => (await import('./mcp-call.ts')).mcpCall(args, context),
  },
  resources: {
    summary: 'list and read resources',
    reads: true,
    help: [],
    run: async (args, context) => (await import('./mcp-resources.ts')).mcpResources(args, context),
  },
  prompts: {
    summary: 'list prompts, and get one with its arguments filled in',
    reads: true,
    help: [],
    run: async (args, context) => (await import('./mcp-prompts.ts')).mcpPrompts(args, context),
  },
};

function overview(): string {
  const lines = Object.entries(verbs).map(([name, { summary }]) => `  ${name.padEnd(10)}${summary}`);
  const more = 'Options of each: switchboard mcp <verb> --help. Files and keys: docs/config.md';
  return ['Usage: switchboard mcp <verb>', '', ...lines, '', more].join('\n');
}

function helpOf(name: string, { summary, help }: Verb): string {
  return [`switchboard mcp ${name}: ${summary}`, '', ...help].join('\n');
}

function isHelp(arg: string): boolean {
  return arg === '--help' || arg === '-h';
}

/** What other programs call the same thing. */
const OTHER_WORDS: Readonly<Record<string, string | undefined>> = {
  ...{ ls: 'list', rm: 'remove', delete: 'remove', show: 'get', describe: 'get', check: 'test' },
  ...{ signin: 'login', signout: 'logout', auth: 'login' },
};

function unknownVerb(name: string): AppError {
  const near =
    (Object.hasOwn(OTHER_WORDS, name) ? OTHER_WORDS[name] : undefined) ?? nearestNames(name, Object.keys(verbs))[0];
  const hint = near === undefined ? '' : ` Did you mean ${near}?`;
  return new AppError('USAGE', `There is no switchboard mcp ${visibleWord(name)}.${hint} See: switchboard mcp --help`);
}
