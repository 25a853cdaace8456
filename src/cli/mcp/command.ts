import { existsSync } from 'node:fs';
import { AppError } from '../../base/errors.ts';
import { programName } from '../../base/program-name.ts';
import { quoteIfNeeded } from '../../base/text/visible-text.ts';
import { resolvePath } from '../../config/files/folders.ts';
import { toConfigError } from '../../config/problem.ts';
import { type CommandContext, environmentOf } from '../command-context.ts';
import { nearestVerb } from './nearest-verb.ts';
import { isVerb, type Verb, type VerbName, verbs } from './verbs.ts';

/** Runs `switchboard mcp <verb>`, one verb per operation on the configured servers. */
export async function mcp([name, ...args]: readonly string[], context: CommandContext): Promise<void> {
  if (name === undefined || isHelp(name)) return showHelp(undefined, context);
  // `switchboard mcp help add` equals `switchboard mcp add --help`.
  if (name === 'help') return showHelp(args[0] === undefined ? undefined : checkVerb(args[0]), context);
  const verbName = checkVerb(name);
  const verb: Verb = verbs[verbName];
  const end = args.indexOf('--');
  const own = end === -1 ? args : args.slice(0, end);
  const asksForHelp = own.some((arg, index) => isHelp(arg) && own[index - 1] !== '--arg');
  if (asksForHelp) return showHelp(verbName, context);
  if (verb.isReadOnly === true) return verb.run(...takeConfig(args, context));
  await verb.run(args, context);
}

/** Treats `--config <file>…` like the environment variable that names the only config file to read. */
function takeConfig(args: readonly string[], context: CommandContext): [readonly string[], CommandContext] {
  const end = args.indexOf('--');
  const own = end === -1 ? args : args.slice(0, end);
  const rest: string[] = [];
  const files: string[] = [];
  for (let at = 0; at < own.length; at++) {
    const arg = own[at] ?? '';
    if (arg === '--config') files.push(checkConfigFile(own[++at], context));
    else if (arg.startsWith('--config=')) files.push(checkConfigFile(arg.slice('--config='.length), context));
    else rest.push(arg);
  }
  const [first] = files;
  if (first === undefined) return [args, context];
  const env = { ...context.env, CODEX_MCP_WRAPPER_CONFIG: first };
  const several = files.length > 1 ? { configFiles: files } : {};
  return [[...rest, ...args.slice(own.length)], { ...context, env, ...several }];
}

function checkConfigFile(file: string | undefined, context: CommandContext): string {
  if (file === undefined || file === '' || file.startsWith('--'))
    throw new AppError('USAGE', '--config needs the path of a file.');
  const path = resolvePath(file, environmentOf(context));
  if (existsSync(path)) return file;
  throw toConfigError({ file: path, line: 0, message: 'This file, named by --config, does not exist.' });
}

/** Prints the help of one verb, or the list of verbs. */
async function showHelp(name: VerbName | undefined, context: CommandContext): Promise<void> {
  const { overview, verbHelp } = await import('./verb-help.ts');
  const { printHelp } = await import('../terminal/print-help.ts');
  printHelp(name === undefined ? overview() : verbHelp(name), context);
}

function checkVerb(name: string): VerbName {
  if (isVerb(name)) return name;
  if (name === 'ps') return 'status';
  const near = nearestVerb(name);
  const hint = near === undefined ? '' : ` Did you mean ${programName()} mcp ${near}?`;
  throw new AppError(
    'USAGE',
    `There is no ${programName()} mcp ${quoteIfNeeded(name)}.${hint} See: ${programName()} mcp --help`,
  );
}

function isHelp(arg: string): boolean {
  return arg === '--help' || arg === '-h';
}
