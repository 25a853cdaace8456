import { existsSync } from 'node:fs';
import { AppError } from '../../base/errors.ts';
import { quoteIfNeeded } from '../../base/text/visible-text.ts';
import { resolvePath } from '../../config/files/folders.ts';
import { toConfigError } from '../../config/problem.ts';
import type { CommandContext } from '../main.ts';
import { showHelp } from '../terminal/show-help.ts';
import { nearestVerb } from './nearest-verb.ts';
import { type Verb, verbs } from './verbs.ts';

/** Runs `switchboard mcp <verb>`, one verb per operation on the configured servers. */
export async function mcp([name, ...args]: readonly string[], context: CommandContext): Promise<void> {
  if (name === undefined || isHelp(name)) return showHelp(overview(), context);
  if (name === 'help') return helpFor(args, context);
  const verb = findVerb(name);
  const end = args.indexOf('--');
  const own = end === -1 ? args : args.slice(0, end);
  const asksForHelp = own.some((arg, index) => isHelp(arg) && own[index - 1] !== '--arg');
  if (asksForHelp) return showHelp(helpOf(name, verb), context);
  if (verb.isReadOnly === true) return verb.run(...takeConfig(args, context));
  await verb.run(args, context);
}

/** Treats `--config <file>` like the environment variable that names the only config file to read. */
function takeConfig(args: readonly string[], context: CommandContext): [readonly string[], CommandContext] {
  const isConfig = (arg: string) => arg === '--config' || arg.startsWith('--config=');
  const end = args.indexOf('--');
  const own = end === -1 ? args : args.slice(0, end);
  const at = own.findIndex(isConfig);
  if (at === -1) return [args, context];
  const isInline = own[at] !== '--config';
  const file = isInline ? own[at]?.slice('--config='.length) : own[at + 1];
  if (file === undefined || file === '' || file.startsWith('--'))
    throw new AppError('USAGE', '--config needs the path of a file.');
  const rest = own.toSpliced(at, isInline ? 1 : 2);
  if (rest.some(isConfig)) throw new AppError('USAGE', '--config may be given once only.');
  const path = resolvePath(file, { ...context, platform: process.platform });
  if (!existsSync(path))
    throw toConfigError({ file: path, line: 0, message: 'This file does not exist; --config names it.' });
  return [
    [...rest, ...args.slice(own.length)],
    { ...context, env: { ...context.env, CODEX_MCP_WRAPPER_CONFIG: file } },
  ];
}

/** `switchboard mcp help add` equals `switchboard mcp add --help`. */
function helpFor([name]: readonly string[], context: CommandContext): void {
  showHelp(name === undefined ? overview() : helpOf(name, findVerb(name)), context);
}

function findVerb(name: string): Verb {
  const verb = Object.hasOwn(verbs, name) ? verbs[name] : undefined;
  if (verb !== undefined) return verb;
  const near = nearestVerb(name);
  const hint = near === undefined ? '' : ` Did you mean switchboard mcp ${near}?`;
  throw new AppError('USAGE', `There is no switchboard mcp ${quoteIfNeeded(name)}.${hint} See: switchboard mcp --help`);
}

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
